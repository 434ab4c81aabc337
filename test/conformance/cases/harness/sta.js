// The name the runner expects of every suite; cases need nothing of it.
