"""The shop in a file, protected."""

from tests.support.shop_file import shop  # noqa: F401 - a fixture
