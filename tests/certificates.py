"""Certificates for tests: made anew, so that no key stands in a file."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def made(name: str, begins: float = 0, days: float = 1) -> tuple[str, str]:
    """A certificate in that name and its private key, both as PEM text: valid for `days`, in `begins` days from now."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC) + timedelta(days=begins)
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    found = builder.not_valid_before(now).not_valid_after(now + timedelta(days=days)).sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return found.public_bytes(serialization.Encoding.PEM).decode(), private.decode()
