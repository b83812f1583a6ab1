package config

// EnvOf is an environment of these variables alone, without a process and a file: for judging a value before it is written
// anywhere.
func EnvOf(values map[string]string) Env {
	return Env{process: func(name string) (string, bool) { v, ok := values[name]; return v, ok }}
}

// Dotenv returns what the .env file alone says of a variable, whatever the process says.
func (e Env) Dotenv(name string) (value string, ok bool) {
	v, ok := e.dotenv[name]
	return v.text, ok
}
