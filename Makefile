# Everything a checkout can do; `make help` lists it. Each target prepares what it needs by itself.

PYTHON ?= python3
EXTRAS := export render view study docs dev
TESTED := export render view docs dev
BIN := .venv/bin
PREPARE := @PYTHON="$(PYTHON)" sh tools/prepare.sh
ORACLES := @PYTHON="$(PYTHON)" sh tools/prepare_oracles.sh

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install demo test test-blender sweep-test thorough soak soak-learn fuzz lint types format docs claims bench gallery wheel fresh kernels lock clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; \
		do printf '  make %-12s %s\n' "$$name" "$$what"; done

install:  ## prepare .venv for everything
	$(PREPARE) $(EXTRAS)
	@echo "Ready. Try: $(BIN)/skitter scenes"

demo:  ## run the default scene, and make a picture, a video and a rigged asset of it
	$(PREPARE) render view
	@rm -rf out/demo out/demo.png out/demo.mp4 out/demo.glb
	@$(BIN)/skitter run centipede -o out/demo
	@$(BIN)/skitter render out/demo -o out/demo.png
	@$(BIN)/skitter render out/demo -o out/demo.mp4
	@$(BIN)/skitter export out/demo -o out/demo.glb
	@printf '%s\n' "" "A giant centipede foraged among stumps on gentle hills:" \
		"  recording  out/demo" "  picture    out/demo.png" "  video      out/demo.mp4" \
		"  rigged     out/demo.glb, for Blender, Unity, Unreal" \
		"Go on with:" \
		"  $(BIN)/skitter view centipede                            watch it live, and touch it" \
		"  $(BIN)/skitter scenes                                    what else there is" \
		"  $(BIN)/skitter run centipede -o out/mine --seed 1        another run" \
		"  $(BIN)/skitter view out/mine                             replay it" \
		"  $(BIN)/skitter render out/mine -o gait.png --gait        the state of every leg" \
		"  $(BIN)/skitter measure out/mine                          its stride, its speed, its meals"

test: lint types  ## check style and types, run the tests
	$(ORACLES) validator povray
	@echo "tests"
	@$(BIN)/python -m pytest -q -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder --durations 5 -m "not serial and not anew and not blender"
	@$(BIN)/python -m pytest -q -m serial || [ $$? -eq 5 ]  # 5: there are none

test-blender:  ## open exports in Blender and look for the recorded animals in there; ALL=1 every one
	$(PREPARE) $(TESTED)
	$(ORACLES) validator blender
	@echo "tests with Blender"
	@$(BIN)/python -m pytest -q tests/blender -m blender

sweep-test:  ## sweeps and searches whose processes are killed, for longer than make test does
	$(PREPARE) $(TESTED)
	@echo "sweeps under fire"
	@SWEEP_TEST_KILLS=1000 SWEEP_TEST_ROUNDS=3 $(BIN)/python -m pytest -q -s tests/unit/test_sweep_killed.py

thorough: test  ## the same, and the tests that compile everything anew (Blender: make test-blender)
	@$(BIN)/python -m pytest -q -m anew

soak:  ## let the zoo live for 30 simulated minutes and look whether it stays well; SCENE, MINUTES
	$(PREPARE) $(TESTED)
	@rm -rf out/soak
	@$(BIN)/python tools/soak.py $(or $(SCENE),zoo) --minutes $(or $(MINUTES),30) -o out/soak

lint:  ## check style (ruff)
	$(PREPARE) $(TESTED)
	@echo "style"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || \
		{ $(BIN)/ruff format --check .; echo "make format puts this right"; exit 1; }

types:  ## check types (mypy)
	$(PREPARE) $(TESTED)
	@echo "types"
	@$(BIN)/mypy

format:  ## put style right where ruff can
	$(PREPARE) $(TESTED)
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

claims:  ## measure what the papers report, and write docs/claims.md; IDS="fang2015/forages ..." only some
	$(PREPARE) $(EXTRAS)
	@$(BIN)/skitter claims $(IDS) -o docs/claims/claims.json --plots docs/claims || [ $$? -eq 1 ]  # 1: some fail
	@$(BIN)/python tools/claims_page.py

bench:  ## measure speed
	$(PREPARE) $(EXTRAS)
	@$(BIN)/skitter bench

soak-learn:  ## send a million random actions through the environments that learn, a quarter of an hour
	$(PREPARE) $(EXTRAS)
	@$(BIN)/python tools/soak_learn.py

fuzz:  ## send 50,000 changed files through all readers, 10 to 30 minutes; COUNT, SEED, WORKERS
	$(PREPARE) $(TESTED)
	@$(BIN)/python tests/fuzz/run.py --count $(or $(COUNT),50000) --seed $(or $(SEED),0) \
		--workers $(or $(WORKERS),2) --keep out/fuzz

gallery:  ## picture every species and scene for docs/gallery.md; FILMS=1 films the scenes too
	$(PREPARE) $(TESTED)
	@$(BIN)/python tools/gallery.py $(if $(FILMS),--films)
	@$(BIN)/python tools/studio_picture.py

docs:  ## write the reference anew and build the documentation into out/site
	$(PREPARE) $(TESTED)
	@$(BIN)/python tools/reference.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Ready. Open out/site/index.html"

wheel:  ## build the package into dist, sources too; KERNELS=1 also with compiled kernels for this Python
	$(PREPARE)
	$(ORACLES) twine
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 1577836800) \
		$(BIN)/python -m hatchling build -d dist
	@[ -z "$(KERNELS)" ] || sh tools/wheel_kernels.sh
	@.venv-twine/bin/twine check --strict dist/*

fresh:  ## make demo and the start of make test in a bare Debian, with times; ALL=1 all of make test
	@sh tools/fresh.sh

kernels:  ## write the list of kernels that are compiled ahead, when what they take has changed
	$(PREPARE) $(TESTED)
	@$(BIN)/python tools/kernels.py

lock:  ## rewrite constraints.txt with the newest versions that serve every Python
	@PYTHON="$(PYTHON)" sh tools/lock.sh $(EXTRAS)

clean:  ## remove what the targets above made; recordings of yours and .venv stay
	@rm -rf out/demo out/demo.png out/demo.mp4 out/demo.glb out/gallery out/site out/test-pictures build dist \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests tools -name __pycache__ -prune -exec rm -rf {} +
