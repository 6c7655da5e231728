"""Compiles the programs under test to the same bytes on every host: by the locked toolchain, in a sandbox."""
