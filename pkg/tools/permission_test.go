package tools

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
	"mayi/pkg/permissions"
)

func TestPermissionCacheCheck(t *testing.T) {
	type grant struct{ path, word string }
	for _, tt := range []struct {
		name  string
		given []grant
		path  string
		want  string
	}{
		{"nothing known", nil, "/desktop", ""},
		{"session", []grant{{"/desktop", "session"}}, "/desktop", "session"},
		{"once", []grant{{"/desktop", "once"}}, "/desktop", "once"},
		{"denied", []grant{{"/desktop", "denied"}}, "/desktop", "denied"},
		{"covers below", []grant{{"/desktop", "session"}}, "/desktop/folder/a", "session"},
		{"not the sibling with the same prefix", []grant{{"/desktop", "session"}}, "/desktop2", ""},
		{"not the sibling workspace", []grant{{"/workspace", "session"}}, "/workspace-evil/x", ""},
		{"not above", []grant{{"/desktop/a", "session"}}, "/desktop", ""},
		{"climbing out", []grant{{"/desktop", "session"}}, "/desktop/../etc", ""},
		{"climbing is never granted", []grant{{"/desktop", "session"}}, "/desktop/link/../a", ""},
		{"climbing into a denial", []grant{{"/etc", "denied"}}, "/desktop/../etc", "denied"},
		{"denial is inherited", []grant{{"/desktop", "denied"}}, "/desktop/a/b", "denied"},
		{"the most specific answer wins: a denial below", []grant{{"/desktop", "session"}, {"/desktop/secret", "denied"}}, "/desktop/secret/x", "denied"},
		{"the most specific answer wins: a grant below", []grant{{"/desktop/open", "session"}, {"/desktop", "denied"}}, "/desktop/open/x", "session"},
		{"beside the specific answer", []grant{{"/desktop", "session"}, {"/desktop/secret", "denied"}}, "/desktop/secrets", "session"},
		{"the later answer counts", []grant{{"/desktop", "denied"}, {"/desktop", "session"}}, "/desktop", "session"},
		{"a denial after a grant", []grant{{"/desktop", "session"}, {"/desktop", "denied"}}, "/desktop", "denied"},
		{"an unknown word grants nothing", []grant{{"/desktop", "always"}, {"/desktop", "SESSION"}, {"/desktop", ""}, {"/desktop", "yes"}}, "/desktop", ""},
		{"an unknown word changes nothing", []grant{{"/desktop", "denied"}, {"/desktop", "allow"}}, "/desktop", "denied"},
		{"a relative path is no path", []grant{{"desktop", "session"}}, "desktop", ""},
		{"a climbing grant grants nothing", []grant{{"/desktop/../etc", "session"}}, "/etc", ""},
		{"NUL", []grant{{"/desk\x00top", "session"}}, "/desk\x00top", ""},
		{"trailing and doubled slashes", []grant{{"/desktop//", "session"}}, "//desktop/./a/", "session"},
		{"the root", []grant{{"/", "session"}}, "/etc/passwd", "session"},
		{"empty", []grant{{"", "session"}}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewPermissionCache()
			for _, g := range tt.given {
				c.Grant(g.path, g.word)
			}
			if got := c.Check(tt.path); got != tt.want {
				t.Errorf("Check(%q) = %q, want %q", tt.path, got, tt.want)
			}
		})
	}
}

func TestPermissionCacheRevoke(t *testing.T) {
	c := NewPermissionCache()
	c.Grant("/desktop", "session")
	c.Grant("/desktop/a", "denied")
	c.Revoke("/desktop/a")
	if got := c.Check("/desktop/a"); got != "session" {
		t.Errorf("after the revocation the folder above counts: got %q", got)
	}
	c.Revoke("/desktop")
	if got := c.Check("/desktop"); got != "" {
		t.Errorf("got %q after the revocation", got)
	}
	c.Revoke("/never")
	c.Revoke("")
	if len(c.tree.below) != 0 {
		t.Error("revoking leaves empty branches behind")
	}
}

func TestPermissionCacheReadIsNotWrite(t *testing.T) {
	c := NewPermissionCache()
	c.Grant("/desktop", "session")
	if got := c.CheckWrite("/desktop/a"); got != "" {
		t.Errorf("a read grant opens writing: %q", got)
	}
	c.GrantWrite("/desktop", "session")
	if got := c.CheckWrite("/desktop/a"); got != "session" {
		t.Errorf("writing: got %q", got)
	}
	c.GrantWrite("/desktop", "denied")
	if got := c.CheckWrite("/desktop/a"); got != "denied" {
		t.Errorf("writing after the denial: got %q", got)
	}
	c.Grant("/desktop", "denied")
	if got := c.CheckWrite("/desktop"); got != "denied" {
		t.Errorf("what must not be read must not be written: got %q", got)
	}
}

func TestPermissionCacheConformance(t *testing.T) {
	approvaltest.Grants(t, func(*testing.T) approval.Grants { return NewPermissionCache().GrantsFor("s") })
}

func TestOnceIsClaimedOnce(t *testing.T) {
	for _, self := range []bool{false, true} {
		t.Run(fmt.Sprintf("self=%v", self), func(t *testing.T) {
			g := NewPermissionCache().Grants()
			ctx := t.Context()
			gr := approval.Grant{Call: "call", Answer: permissions.GrantedOnce}
			var paths []approval.Access
			if !self {
				gr.Path, paths = "/desktop", []approval.Access{{Path: "/desktop/a"}, {Path: "/desktop/b"}}
			}
			if err := g.Put(ctx, gr); err != nil {
				t.Fatal(err)
			}
			if ok, _ := g.Claim(ctx, "another call", paths, self); ok {
				t.Fatal("the grant of one call was claimed by another")
			}
			var won atomic.Int32
			var wg sync.WaitGroup
			start := make(chan struct{})
			for range 1000 {
				wg.Go(func() {
					<-start
					if ok, err := g.Claim(ctx, "call", paths, self); err != nil {
						t.Error(err)
					} else if ok {
						won.Add(1)
					}
				})
			}
			close(start)
			wg.Wait()
			if won.Load() != 1 {
				t.Fatalf("%d of 1000 claims won, want 1", won.Load())
			}
		})
	}
}

func TestClaimIsAllOrNothing(t *testing.T) {
	g := NewPermissionCache().Grants()
	ctx := t.Context()
	if err := g.Put(ctx, approval.Grant{Path: "/a", Call: "c", Answer: permissions.GrantedOnce}); err != nil {
		t.Fatal(err)
	}
	if ok, _ := g.Claim(ctx, "c", []approval.Access{{Path: "/a"}, {Path: "/b"}}, false); ok {
		t.Fatal("claimed although one is missing")
	}
	if ok, _ := g.Claim(ctx, "c", []approval.Access{{Path: "/a"}}, true); ok {
		t.Fatal("claimed although the call itself has no grant")
	}
	if ok, _ := g.Claim(ctx, "c", []approval.Access{{Path: "/a"}}, false); !ok {
		t.Fatal("a failed claim consumed the grant")
	}
}

// TestPermissionCacheAgainstScan compares the tree with the plainest reading
// of the rule: of all answers about a path or a folder above it, the one with
// the longest path counts, the latest where there are several.
func TestPermissionCacheAgainstScan(t *testing.T) {
	words := []string{"once", "session", "denied", "bogus"}
	path := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "a2"}), 1, 4).Draw(t, "parts")
		return "/" + strings.Join(parts, "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		c := NewPermissionCache()
		scan := map[string]string{}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			p, w := path.Draw(t, "path"), rapid.SampledFrom(append(words, "revoke")).Draw(t, "word")
			switch w {
			case "revoke":
				c.Revoke(p)
				delete(scan, p)
			case "bogus":
				c.Grant(p, w)
			default:
				c.Grant(p, w)
				scan[p] = w
			}
		}
		ask := path.Draw(t, "ask")
		best, want := "", ""
		for p, w := range scan {
			if (p == ask || strings.HasPrefix(ask, p+"/")) && len(p) > len(best) {
				best, want = p, w
			}
		}
		if got := c.Check(ask); got != want {
			t.Fatalf("Check(%q) = %q, the scan says %q of %v", ask, got, want, scan)
		}
	})
}

func TestPermissionCacheConcurrentUse(t *testing.T) {
	c := NewPermissionCache()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 200 {
				p := fmt.Sprintf("/d%d/f%d", i%4, j%8)
				c.Grant(p, []string{"once", "session", "denied"}[j%3])
				c.Check(p + "/x")
				_, _ = c.Grants().Claim(context.Background(), "", []approval.Access{{Path: p}}, false)
				_, _ = c.Grants().List(context.Background())
				c.Revoke(p)
			}
		})
	}
	wg.Wait()
}

// BenchmarkPermissionCacheCheck shows that a look-up does not cost by the
// number of answers: the two must be within a factor of two.
func BenchmarkPermissionCacheCheck(b *testing.B) {
	for _, n := range []int{100, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := NewPermissionCache()
			for i := range n {
				c.Grant(grantedPath(i, n), "session")
			}
			r := rand.New(rand.NewPCG(1, 2))
			ask := make([]string, 64)
			for i := range ask {
				ask[i] = grantedPath(r.IntN(n), n) + "/below"
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if c.Check(ask[i&63]) != "session" {
					b.Fatal("not granted")
				}
				i++
			}
		})
	}
}

// grantedPath spreads n paths over folders of up to a hundred entries, as
// people's disks do.
func grantedPath(i, _ int) string {
	return fmt.Sprintf("/home/u%d/p%d/f%d", i/10_000, i/100%100, i%100)
}
