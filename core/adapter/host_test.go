package adapter_test

func host(string) int { return 1 }
