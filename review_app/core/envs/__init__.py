"""Tool environments: what a domain's tools do to its database."""
