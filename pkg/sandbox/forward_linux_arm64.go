package sandbox

// forward does nothing on this architecture: Go hears of the signals.
func forward(int) (stop func(), ok bool) { return nil, false }

func mute() {}
