package config

import (
	"encoding/json"
	"strings"
)

// schema is the part of JSON Schema that the settings need. The order of its
// fields is the order in which they are written.
type schema struct {
	Schema               string             `json:"$schema,omitempty"`
	Title                string             `json:"title,omitempty"`
	Type                 string             `json:"type,omitempty"`
	Description          string             `json:"description,omitempty"`
	Default              any                `json:"default,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Minimum              *int               `json:"minimum,omitempty"`
	Maximum              *int               `json:"maximum,omitempty"`
	MinLength            int                `json:"minLength,omitempty"`
	MinItems             int                `json:"minItems,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	PatternProperties    map[string]*schema `json:"patternProperties,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"`
}

// Schema returns a JSON Schema (draft 2020-12) of a settings file, with a
// description and the default of every key.
func Schema() []byte {
	root := group("mayi settings. Comments and trailing commas are allowed in the file.")
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "mayi settings"
	root.Properties["$schema"] = &schema{Type: "string", Description: "Where editors find this schema; mayi does not read it."}
	docs := map[string]string{
		"permissions": "Rules: command(WORDS), read(GLOB), write(GLOB), fetch(HOST), mcp(server.tool), tool(NAME).",
		"tools":       "Settings of the tools, and declarations for foreign tools as \"server.tool\".",
		"hooks":       "How mayi answers the hooks of coding agents.",
		"tools.exec":  "The tool that runs shell commands.",
	}
	for _, k := range keys() {
		at, names := root, strings.Split(k.path, ".")
		for i, n := range names[:len(names)-1] {
			if at.Properties[n] == nil {
				at.Properties[n] = group(docs[strings.Join(names[:i+1], ".")])
			}
			at = at.Properties[n]
		}
		at.Properties[names[len(names)-1]] = k.schema()
	}
	declared := group("What a foreign tool does.")
	declared.Properties["effects"] = &schema{Type: "array", MinItems: 1, Items: &schema{Type: "string", Enum: effectNames()},
		Description: "The effects of a call, as the operator declares them. A tool without a declaration could do anything."}
	root.Properties["tools"].PatternProperties = map[string]*schema{`^[^.]+\..+$`: declared}
	root.Properties["commands"] = &schema{Type: "object", AdditionalProperties: true,
		Description: "Entries for the knowledge base of commands, one for each program."}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil
	}
	return append(out, '\n')
}

func group(doc string) *schema {
	return &schema{Type: "object", Description: doc, Properties: map[string]*schema{}, AdditionalProperties: false}
}

func (k *key) schema() *schema {
	s := &schema{Description: k.doc, Default: k.dflt}
	switch k.kind {
	case boolKind:
		s.Type = "boolean"
	case wordKind:
		s.Type, s.Enum = "string", k.words
	case intKind:
		s.Type, s.Minimum, s.Maximum = "integer", &k.low, &k.high
	case listKind:
		s.Type, s.Items = "array", &schema{Type: "string", MinLength: 1}
		if k.items == "rule" {
			s.Items.Pattern = `^(command|read|write|fetch|mcp|tool)\(.+\)$`
		}
	}
	return s
}
