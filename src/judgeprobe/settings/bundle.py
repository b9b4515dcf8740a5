"""What may be released of a study, and who releases it? The `[bundle]` table."""

from pydantic import Field

from judgeprobe.settings.base import SettingsTable

__all__ = ["BundleSettings"]


class BundleSettings(SettingsTable):
    """What may be released of the study, and who releases it (docs/bundle.md).

    Attributes:
        licence: SPDX name of the items' licence, where the items do not say it.
        private: Globs of files of the study folder that stay out of a bundle.
        keep_hosts: Hosts of `base_url` that may be named; others are left out.
        not_secret: Strings that have the shape of a key and are none.
        description: One or two sentences for the data card and the Croissant metadata.
        creators: People or bodies that release it.
        url: Where it can be found.
        published: Day of release, YYYY-MM-DD.
        citation: How to cite it.
        version: Version of the released set.
        label_audit: labels.json of `judgeprobe audit labels`, for the checklist.
    """

    licence: str = ""
    private: tuple[str, ...] = ()
    keep_hosts: tuple[str, ...] = ()
    not_secret: tuple[str, ...] = ()
    description: str = ""
    creators: tuple[str, ...] = ()
    url: str = ""
    published: str = Field("", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    citation: str = ""
    version: str = Field("1.0.0", pattern=r"^\d+\.\d+\.\d+$")
    label_audit: str | None = None
