"""The lab as a static site: the front page, the documents and all reports, without a server or an outside address."""
