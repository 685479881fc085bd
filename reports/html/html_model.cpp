// The user's own model: how it was compared, and the result of each layer.
#include <fmt/format.h>

#include <algorithm>

#include "checks/compute/layer_bounds.h"
#include "reports/html/html_page.h"
#include "reports/text/kernel_tables.h"

namespace envdoctor::html {

void add_model(Node body, const Report& report, const Limits& limits) {
  const ModelAgreement* model = report.snapshot.agree.get();
  if (!model) return;
  Node section = add(body, "section");
  add(section, "h2", "", "Model");
  add(section, "p", "", fmt::format("{}, {}", model->model.or_empty(), model->library.value_or("framework unknown")),
      limits.text);
  Node list = add(section, "ul");
  for (const std::string& text : model_sentences(*model)) add(list, "li", "", text, limits.text);
  const auto& layers = model->layers.or_empty();
  if (layers.empty()) return;
  // Wrong layers first, so that they are never left out.
  const std::vector<std::size_t> faulty = compute::faulty_layers(*model);
  std::vector<std::size_t> order = faulty;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (std::ranges::find(faulty, i) == faulty.end()) order.push_back(i);
  const std::size_t shown = std::min(order.size(), limits.kernels);
  Node all = add(section, "details");
  add(all, "summary", "", fmt::format("{} call{} of layers", layers.size(), layers.size() == 1 ? "" : "s"));
  Node table = add(all, "table");
  for (std::size_t i = 0; i < shown; ++i) {
    const LayerAgreement& layer = layers[order[i]];
    const bool wrong = compute::is_error(compute::fault_of(*model, order[i]));
    Node row = add(table, "tr");
    add(row, "td", "code", layer.name.or_empty(), 200);
    add(row, "td", "", layer.kind.or_empty(), 120);
    add(row, "td", wrong ? "wrong" : "", layer_outcome(*model, order[i]), limits.text);
  }
  if (order.size() > shown) add(all, "p", "dim", fmt::format("and {} more", order.size() - shown));
}

}  // namespace envdoctor::html
