"""The Streamlit entry point: page navigation and nothing else."""

from __future__ import annotations

import streamlit as st

from review_app.ui.shared import session

session.prepare()
st.navigation(session.pages(), position="top").run()
