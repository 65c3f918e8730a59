"""The papers behind a scene: which models it uses, who described them, and how to cite them.

`models.yaml` says which papers stand behind each model and for what; `models.py` tells which
models a scene uses; `bibliography.py` reads the papers themselves from docs/references.bib.
"""
