// Embeddings: vectors as points in space, by PCA (along the directions of largest variance), t-SNE or UMAP.
import { embeddingsShape } from "../../api/media";
import type { JSX } from "preact";
import { getJson } from "../../api/client";
import { count, fixed } from "../../base/text/format";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { Snippet } from "../../domain/live/Snippet";
import { Menu } from "../../widgets/Menu";
import { query, setQuery } from "../../base/address";
import { useResource, type Resource } from "../../domain/live/resource";
import { CloudView } from "./CloudView";
import { loadCloud, type Cloud } from "./data";
import "./projector.css";

export default function Projector(): JSX.Element {
  const list = useResource("embeddings", (signal) => getJson(embeddingsShape, "embeddings", {}, signal));
  const { data, error } = list.state.value;
  const ids = data?.names.map((name, i) => `${data.runs[i]} ${name}`) ?? [];
  const at = Math.max(0, ids.indexOf(query.value.get("tensor") ?? ""));
  const [rows = 0, width = 0] = data?.shapes[at] ?? [];
  const cloud: Resource<Cloud | null> = useResource(JSON.stringify([ids[at], rows, width]), (signal) =>
    data && ids.length > 0 && width > 0 ? loadCloud(data, at, signal, cloud.state.peek().data) : Promise.resolve(null),
  );
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={list.retry}>
          Try again
        </button>
      </p>
    );
  if (!data) return <div class="view" aria-busy="true" />;
  if (ids.length === 0) return <Empty />;
  const { data: loaded, error: problem } = cloud.state.value;
  return (
    <div class="view projector-page">
      <div class="page-bar">
        <h1>Projector</h1>
        <Menu
          label={`Embedding ${ids[at]}`}
          value={ids[at] ?? ""}
          choices={ids.map((id) => ({ value: id, text: id }))}
          onPick={(id) => setQuery({ tensor: id })}
        >
          {ids[at]}
        </Menu>
        <span class="note">
          {count(rows)} rows of {count(width)} numbers,{" "}
          {query.value.get("by") === "tsne"
            ? "laid out by t-SNE"
            : query.value.get("by") === "umap"
              ? "laid out by UMAP"
              : `along their principal components (PC)${loaded ? `, which hold ${loaded.shares.map((share) => fixed(share * 100, 1)).join(", ")} % of the variance` : ""}`}
        </span>
      </div>
      {problem && (
        <p class="trouble" role="alert">
          {problem.message}{" "}
          <button class="link" onClick={cloud.retry}>
            Try again
          </button>
        </p>
      )}
      {!problem && width === 0 && (
        <p class="trouble" role="alert">
          The tensor file of {ids[at]} is missing next to projector_config.pbtxt, or its shape cannot be read.
        </p>
      )}
      <div class="projector">{loaded && <CloudView title={ids[at] ?? ""} cloud={loaded} total={rows} />}</div>
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="No embeddings yet"
      about="This page shows vectors, such as embeddings, as points in 2D or 3D; similar vectors are close together."
      lookedFor={
        <>
          files <span class="mono">projector_config.pbtxt</span> next to the event files
        </>
      }
    >
      <Snippet
        lines={["writer.add_embedding(", "    features, metadata=labels,", `    tag="features", global_step=step)`]}
      />
    </EmptyPage>
  );
}
