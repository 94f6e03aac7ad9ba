"""What pages share: the session, words, links, grids and safe markup."""
