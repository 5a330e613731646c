module github.com/weightools/safetensors/pickle

go 1.26.0

require github.com/weightools/safetensors v0.1.0
