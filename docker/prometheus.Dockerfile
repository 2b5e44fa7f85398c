# Debian's Prometheus, configured for the server of compose.yaml. Reads the keys as the server's user.
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends prometheus \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin mobula
COPY prometheus.yml /etc/prometheus/mobula.yml
USER mobula
EXPOSE 9090/tcp
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
    CMD ["promtool", "check", "ready", "--url=http://127.0.0.1:9090"]
ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/mobula.yml", "--storage.tsdb.path=/data"]
