// Package config reads the configuration files of models: config.json, the files that
// describe a quantization, and adapter_config.json.
//
// It is the only reader of these files. Package model counts and describes by it, and package
// check compares weights with it, so the two cannot disagree about what a file says.
//
// Configurations are untrusted. Files over [MaxSize] bytes are not parsed, nothing recurses, and a
// member of an unexpected type counts as absent.
package config
