# API and worker are one image; the command chooses: `node dist/api/main.js`, or that of `npm run start:worker`.
# Any image of Debian with Node.js, npm and a user 1000 serves, such as a copy in a registry of your own.
ARG BASE_IMAGE=node:26.10.0-bookworm-slim
FROM ${BASE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# The Temporal SDK brings its core for five platforms, 27 MB each.
RUN npm run build && rm -r dist/dev/bench && chmod 755 dist/cli/main.js && npm prune --omit=dev --ignore-scripts \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM ${BASE_IMAGE}
# The Temporal client reads the system's certificate authorities when the server wants TLS: the newest are the right ones.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libjemalloc2 \
  && rm -rf /var/lib/apt/lists/*
# With glibc's malloc a node takes about twice the memory (docs/contributing/benchmarks.md, "Memory").
ENV NODE_ENV=production LD_PRELOAD=libjemalloc.so.2
WORKDIR /app
COPY package.json package-lock.json LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN install -d -o node -g node -m 0700 .data/dev-auth && ln -s /app/dist/cli/main.js /usr/local/bin/pas
# The user `node`, by number: Kubernetes proves by it that this is not root.
USER 1000:1000
EXPOSE 3000 3001
CMD ["node", "dist/api/main.js"]
