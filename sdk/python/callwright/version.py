"""The version of the package, which requests name in User-Agent."""

VERSION = "0.1.0"
