# The bot with locked dependencies; PostgreSQL and Qdrant come from docker-compose.yml, or run embedded in /data.

FROM python:3.12-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /venv
COPY requirements.lock /tmp/
RUN /venv/bin/python -m pip install --quiet --only-binary :all: --require-hashes -r /tmp/requirements.lock \
    && /venv/bin/python -m pip uninstall --quiet --yes pip
COPY config /app/config
COPY memory /app/memory
COPY bot /app/bot
RUN /venv/bin/python -m compileall -q /app

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home kith && install --directory --owner kith --mode 700 /data
COPY --from=build /venv /venv
COPY --from=build /app /app
WORKDIR /app
USER kith
ENV KITH_DATA=/data PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
VOLUME /data
STOPSIGNAL SIGTERM

# Cheap on purpose: is the bot's process there?
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 CMD ["/venv/bin/python", "-c", \
    "import pathlib, sys; sys.exit(not any(b'-m\\0bot\\0' in p.read_bytes() for p in pathlib.Path('/proc').glob('[0-9]*/cmdline')))"]

ENTRYPOINT ["/venv/bin/python", "-m", "bot"]
CMD ["run"]
