module example.org/sensibus

go 1.19
