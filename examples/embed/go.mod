module example.org/embed

go 1.26

require mayi v0.0.0

replace mayi => ../..
