package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mayi/pkg/journal/entry"
)

func TestLightKeepsAChain(t *testing.T) {
	path := fresh(t)
	last := write(t, path, 7)
	if last.Seq != 7 || last.Hash == "" || last.Prev == entry.NoHash {
		t.Errorf("the last record is %+v", last)
	}
	if got := lines(t, path); len(got) != 7 || got[6] != "begin echo 6" {
		t.Errorf("records %q", got)
	}
	if exists(path) {
		t.Error("a database was made")
	}
	for _, f := range []string{headFile(path), keyFile(path), lineFile(path)} {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f, info, err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v %v", info, err)
	}
}

func TestLightMasksAndSaysWhatItWrote(t *testing.T) {
	path := fresh(t)
	const secret = "hunter2hunter2"
	r, err := At(path).Append(context.Background(), entry.Record{Event: "begin", Text: "mysql --password=" + secret,
		Rules: []string{"token=" + secret}, Effects: []entry.Effect{{Kind: "exec", Host: "api_key=" + secret}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != "mysql --password=***" || r.Rules[0] != "token=***" || r.Effects[0].Host != "api_key=***" {
		t.Errorf("written %+v", r)
	}
	if strings.Contains(string(read(t, lineFile(path))), secret) {
		t.Error("the secret is in the journal")
	}
}

func TestLightOfManyGoroutines(t *testing.T) {
	path := fresh(t)
	l := At(path)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if _, err := l.Note(context.Background(), entry.Record{Event: "refused"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(lines(t, path)); n != 200 {
		t.Errorf("%d records, want 200", n)
	}
}

func TestLightGivesUpWithItsCaller(t *testing.T) {
	path := fresh(t)
	write(t, path, 1)
	h, err := Hold(context.Background(), path, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := At(path).Note(ctx, entry.Record{Event: "refused"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Note under another's lock = %v", err)
	}
	l := At(path)
	l.wait = 0
	if _, err := l.Note(context.Background(), entry.Record{Event: "refused"}); !errors.Is(err, ErrLocked) {
		t.Errorf("Note under another's lock = %v", err)
	}
}

// A process that is killed leaves one of these; the log goes on behind it.
func TestWhatACrashLeaves(t *testing.T) {
	for name, crash := range map[string]func(t *testing.T, path string){
		"an empty head": func(t *testing.T, path string) {
			os.MkdirAll(filepath.Dir(path), 0o700)
			put(t, headFile(path), nil)
		},
		"a head without a key": func(t *testing.T, path string) {
			write(t, path, 1)
			os.Remove(keyFile(path))
			os.Remove(lineFile(path))
			put(t, headFile(path), State{ID: "X", Hash: entry.NoHash}.encode(keyOf("some key")))
		},
		"a line without its head": func(t *testing.T, path string) {
			write(t, path, 3)
			head := read(t, headFile(path))
			write(t, path, 1)
			put(t, headFile(path), head)
		},
		"two lines without their head": func(t *testing.T, path string) {
			write(t, path, 1)
			head := read(t, headFile(path))
			write(t, path, 2)
			put(t, headFile(path), head)
		},
		"half a line": func(t *testing.T, path string) {
			write(t, path, 3)
			text := read(t, lineFile(path))
			put(t, lineFile(path), append(text, text[:100]...))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			crash(t, path)
			had := 0
			if exists(keyFile(path)) {
				had = len(lines(t, path))
			}
			write(t, path, 2)
			if n := len(lines(t, path)); n != had+2 {
				t.Errorf("%d records, want %d", n, had+2)
			}
		})
	}
}

func TestLightRefusesABrokenLog(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(t *testing.T, path string)
		kind error
	}{
		"no head":      {func(t *testing.T, path string) { os.Remove(headFile(path)) }, ErrTampered},
		"an empty one": {func(t *testing.T, path string) { put(t, headFile(path), nil) }, ErrTampered},
		"no key":       {func(t *testing.T, path string) { os.Remove(keyFile(path)) }, ErrTampered},
		"an empty key": {func(t *testing.T, path string) { put(t, keyFile(path), nil) }, ErrTampered},
		"another key":  {func(t *testing.T, path string) { put(t, keyFile(path), []byte("x")) }, ErrTampered},
		"no journal":   {func(t *testing.T, path string) { os.Remove(lineFile(path)) }, ErrTampered},
		"neither key nor head": {func(t *testing.T, path string) {
			os.Remove(keyFile(path))
			os.Remove(headFile(path))
		}, ErrTampered},
		"the last line cut off": {func(t *testing.T, path string) {
			text := read(t, lineFile(path))
			put(t, lineFile(path), text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1])
		}, ErrTampered},
		"half of it cut off": {func(t *testing.T, path string) {
			text := read(t, lineFile(path))
			put(t, lineFile(path), text[:len(text)-50])
		}, ErrTampered},
		"a line behind the end": {func(t *testing.T, path string) {
			put(t, lineFile(path), append(read(t, lineFile(path)), "x\n"...))
		}, ErrTampered},
		"an old line behind the end": {func(t *testing.T, path string) {
			text := read(t, lineFile(path))
			put(t, lineFile(path), append(text, text[:bytes.IndexByte(text, '\n')+1]...))
		}, ErrTampered},
		"a database from elsewhere": {func(t *testing.T, path string) {
			for _, f := range []string{keyFile(path), headFile(path), lineFile(path)} {
				os.Remove(f)
			}
			put(t, path, []byte("x"))
		}, ErrDatabase},
		"an older mayi's head": {func(t *testing.T, path string) {
			put(t, headFile(path), []byte(oldTitle+"ID\n3\n"+entry.NoHash+"\n\n— mayi x\n"))
		}, ErrDatabase},
		"the database gone": {func(t *testing.T, path string) {
			h, err := Hold(context.Background(), path, 0, false)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			if err := errors.Join(h.Resume(true), h.Sync(), h.Taken()); err != nil {
				t.Fatal(err)
			}
		}, ErrTampered},
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			write(t, path, 4)
			tt.do(t, path)
			refused(t, path, tt.kind)
		})
	}
}

func TestAnyByteOfTheHead(t *testing.T) {
	path := fresh(t)
	write(t, path, 2)
	good := read(t, headFile(path))
	if len(good) != stateSize {
		t.Fatalf("the head has %d bytes", len(good))
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		put(t, headFile(path), bad)
		if _, err := At(path).Note(context.Background(), entry.Record{Event: "refused"}); err == nil {
			t.Fatalf("byte %d was changed, and the log went on", i)
		}
	}
	put(t, headFile(path), append(slices.Clone(good), '\n'))
	refused(t, path, ErrTampered)
	put(t, headFile(path), good)
	write(t, path, 1)
}
