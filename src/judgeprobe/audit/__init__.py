"""Audits of label sets and of judge scores that already exist."""
