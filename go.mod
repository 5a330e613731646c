module github.com/weightools/safetensors

go 1.26.0
