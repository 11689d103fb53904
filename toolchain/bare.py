"""The bare environment: what a stranger's shell has, and nothing that makes a program work by luck.

Continuous integration, the demo's test and the end-to-end suites run in it, so a variable that happens to be set in a
developer's shell (PYTHONUNBUFFERED once hid a hang for months) cannot carry them.
"""

from collections.abc import Mapping

_SHELL = ("PATH", "HOME", "LANG")
_INDEX = (
    "GOPROXY", "GOPRIVATE", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GOFLAGS", "GOAUTH",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
)  # fmt: skip
_INDEX_PREFIXES = ("PIP_", "NPM_CONFIG_")
# Where downloads and builds are kept or come from: without them a warm machine would begin anew.
_CACHES = ("PODWRIGHT_CACHE", "PODWRIGHT_ARCHIVES", "XDG_CACHE_HOME", "GOPATH", "GOMODCACHE", "GOCACHE")
_KEPT = frozenset((*_SHELL, *_INDEX, *_CACHES))


def bare(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` reduced to PATH, HOME, LANG, the settings of package indexes and the places of caches.

    Settings of indexes include the certificates and proxies without which a machine reaches none.
    """
    return {name: value for name, value in environ.items() if name in _KEPT or _of_an_index(name)}


def _of_an_index(name: str) -> bool:
    # Proxies and npm's settings are understood in either case.
    return name.upper() in _INDEX or name.upper().startswith(_INDEX_PREFIXES)
