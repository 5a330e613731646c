module github.com/weightools/safetensors/bench

go 1.26.0

require (
	github.com/weightools/safetensors v0.1.0
	github.com/weightools/safetensors/pickle v0.1.0
)
