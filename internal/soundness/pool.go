package soundness

import "sync"

// CheckAll checks the scripts, so many at a time, and hands the results to done
// in the scripts' order.
func (c *Checker) CheckAll(scripts []Script, parallel int, done func(Result)) {
	results := make([]chan Result, len(scripts))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, parallel) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := range next {
				results[i] <- c.Check(scripts[i])
			}
		}()
	}
	go func() {
		for i := range scripts {
			next <- i
		}
		close(next)
	}()
	for i := range results {
		done(<-results[i])
	}
	workers.Wait()
}
