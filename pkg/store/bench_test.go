package store

import (
	"context"
	"fmt"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Looking up costs by the path's depth, not by the number of grants.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{100, 1_000_000} {
		b.Run(fmt.Sprintf("grants=%d", n), func(b *testing.B) {
			db := openTest(b)
			ctx := context.Background()
			if err := db.Grants("s").Put(ctx, approval.Grant{Path: "/home", Call: "c", Answer: permissions.GrantedSession}); err != nil {
				b.Fatal(err)
			}
			if _, err := db.sql.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
				INSERT INTO grants (session, path, write, call, answer, at) SELECT 's', printf('/srv/%d/%d', i % 1000, i), 0, 'c', 2, 0 FROM n`, n); err != nil {
				b.Fatal(err)
			}
			g := db.Grants("s")
			for b.Loop() {
				if g.Lookup("/home/ann/src/mayi/pkg/store/db.go", false, "c") != permissions.GrantedSession {
					b.Fatal("not found")
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	db := openTest(b)
	for b.Loop() {
		if _, err := db.Audit().Append(context.Background(), Record{Event: "begin", Session: "s", Text: "git status -s"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	db := openTest(b)
	fill(b, db, 500)
	for b.Loop() {
		if _, err := db.Audit().Verify(context.Background(), VerifyOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/record")
}
