"""The pack's rules over manifests that nobody here wrote, of Go modules that the toolchain uses."""
