// The passes of a step as a page: a row each, with the fields that it reads and writes, and lines from who wrote a
// field to who reads it.
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace viewer {

namespace {

using talus::gpu::PassRecord;

constexpr ImU32 node_tone = IM_COL32(61, 64, 71, 255), lit_tone = IM_COL32(158, 112, 51, 255);
constexpr ImU32 read_tone = IM_COL32(58, 84, 110, 255), write_tone = IM_COL32(120, 80, 40, 255);
constexpr ImU32 line_tone = IM_COL32(130, 135, 145, 70), lit_line = IM_COL32(235, 176, 88, 255);
constexpr ImU32 barrier_tone = IM_COL32(200, 90, 70, 200), text_tone = IM_COL32(230, 230, 230, 255);

constexpr std::array field_types{
#define X(name, type, ...) std::string_view(#type),
    TALUS_FIELDS(X)
#undef X
};

// From the pass that wrote a field last to one that reads it.
struct Edge {
  std::size_t from, to;
  std::string_view field;
};

std::vector<Edge> edges_of(const std::vector<PassRecord>& passes) {
  std::vector<Edge> edges;
  std::map<std::string_view, std::size_t> writer;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    for (const std::string& field : passes[p].reads)
      if (const auto found = writer.find(field); found != writer.end())
        edges.push_back({found->second, p, field});
    for (const std::string& field : passes[p].writes)
      writer[field] = p;
  }
  return edges;
}

void field_tip(const Described& described, std::string_view name) {
  const auto found = talus::field_named(name);
  if (!found)
    return;
  const auto f = static_cast<std::size_t>(found->id);
  const talus::FieldInfo& field = talus::field_infos[f];
  const std::size_t count = described.elements[f];
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(30.0f * ImGui::GetFontSize());
  ImGui::Text("%s: %zu x %s, %s", std::string(name).c_str(), count, std::string(field_types[f]).c_str(),
              talus::gpu::byte_text(count * field.stride).c_str());
  ImGui::TextUnformatted(field.meaning.data(), field.meaning.data() + field.meaning.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void barrier_tip(const PassRecord& pass) {
  ImGui::BeginTooltip();
  ImGui::Text("Barrier before %s", pass.name.c_str());
  for (const talus::gpu::BarrierReason& reason : pass.barrier)
    ImGui::TextDisabled("%s of %s%s", hazard_text(reason.hazard), reason.resource.c_str(),
                        reason.earlier.empty() ? "" : fmt::format(" after {}", reason.earlier).c_str());
  ImGui::EndTooltip();
}

// Lays the page out and draws it. What the mouse was over in the last frame is lit.
class Page {
public:
  Page(App& app, const Described& described)
      : app_(app), described_(described), passes_(described.trace.passes), draw_(*ImGui::GetWindowDrawList()),
        edges_(edges_of(passes_)), origin_(ImGui::GetCursorScreenPos()), row_(1.7f * ImGui::GetFontSize()),
        gutter_(6.0f * ImGui::GetFontSize()), node_(14.0f * ImGui::GetFontSize()) {}

  void build() {
    lines();
    float wide = 0.0f;
    for (std::size_t p = 0; p < passes_.size(); ++p)
      wide = std::max(wide, row(p));
    ImGui::SetCursorScreenPos(origin_);
    ImGui::Dummy({wide - origin_.x, row_ * static_cast<float>(passes_.size())});  // what there is to scroll
    lit() = over_;
  }

private:
  struct Over {
    std::optional<std::size_t> pass;
    std::string_view field;
  };

  App& app_;
  const Described& described_;
  const std::vector<PassRecord>& passes_;
  ImDrawList& draw_;
  std::vector<Edge> edges_;
  ImVec2 origin_;
  float row_, gutter_, node_;
  Over over_;

  static Over& lit() {
    static Over over;
    return over;
  }
  float top(std::size_t pass) const { return origin_.y + row_ * static_cast<float>(pass); }

  void lines() {
    for (const bool bright : {false, true})
      for (const Edge& edge : edges_) {
        const bool is_lit =
            lit().field.empty() ? lit().pass == edge.from || lit().pass == edge.to : lit().field == edge.field;
        if (is_lit != bright)
          continue;
        const float x = origin_.x + gutter_,
                    away = std::min(gutter_, 0.2f * gutter_ + 0.5f * (top(edge.to) - top(edge.from)));
        const float from = top(edge.from) + 0.6f * row_, to = top(edge.to) + 0.4f * row_;
        draw_.AddBezierCubic({x, from}, {x - away, from}, {x - away, to}, {x, to}, bright ? lit_line : line_tone,
                             bright ? 2.0f : 1.0f);
      }
  }

  // A box with a text from x on; its right end. True in `hovered`: the mouse is over it.
  float box(float x, std::size_t pass, const std::string& text, float width, ImU32 tone, bool& hovered) {
    const ImVec2 low(x, top(pass) + 0.12f * row_), high(x + width, top(pass) + 0.88f * row_);
    hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
    draw_.AddRectFilled(low, high, tone, 4.0f);
    draw_.AddText({x + 0.4f * ImGui::GetFontSize(), top(pass) + 0.5f * (row_ - ImGui::GetFontSize())}, text_tone,
                  text.c_str());
    return x + width;
  }

  float chip(float x, std::size_t pass, const std::string& field, const char* mark, ImU32 tone) {
    const std::string text = fmt::format("{} {}", mark, field);
    bool hovered = false;
    const float end = box(x, pass, text, ImGui::CalcTextSize(text.c_str()).x + 0.8f * ImGui::GetFontSize(),
                          lit().field == field ? lit_tone : tone, hovered);
    if (hovered) {
      over_ = {{}, field};
      field_tip(described_, field);
    }
    return end + 0.3f * ImGui::GetFontSize();
  }

  // Time of all runs in a step, where it was measured.
  std::string ms(const std::string& pass) const {
    const auto& times = app_.statistics().passes();
    const auto found = std::ranges::find(times, pass, &Statistics::Pass::name);
    return found == times.end() ? "" : fmt::format("{:.3f} ms", found->ms);
  }

  void barrier(std::size_t p) {
    const float left = origin_.x + gutter_, right = left + node_;
    draw_.AddLine({left, top(p)}, {right, top(p)}, barrier_tone, 2.0f);
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left, top(p) - 3.0f}, {right, top(p) + 3.0f}))
      barrier_tip(passes_[p]);
  }

  float row(std::size_t p) {
    const PassRecord& pass = passes_[p];
    bool hovered = false;
    float x = box(origin_.x + gutter_, p, pass.name, node_, lit().pass == p ? lit_tone : node_tone, hovered);
    const std::string time = ms(pass.name);
    draw_.AddText({x - ImGui::CalcTextSize(time.c_str()).x - 0.4f * ImGui::GetFontSize(),
                   top(p) + 0.5f * (row_ - ImGui::GetFontSize())},
                  lit_line, time.c_str());
    if (hovered)
      over_ = {p, {}};
    if (!pass.barrier.empty())
      barrier(p);
    x += ImGui::GetFontSize();
    for (const std::string& field : pass.writes)
      x = chip(x, p, field, std::ranges::find(pass.reads, field) == pass.reads.end() ? "w" : "rw", write_tone);
    for (const std::string& field : pass.reads)
      if (std::ranges::find(pass.writes, field) == pass.writes.end())
        x = chip(x, p, field, "r", read_tone);
    return x;
  }
};

}  // namespace

void graph_panel(App& app) {
  if (!app.session())
    return;
  const Described* described = app.described();
  if (!described) {
    ImGui::TextDisabled("The step is being described ..");
    return;
  }
  ImGui::TextWrapped("One substep of %d, with %d of %d iterations; times are those of all of them in a step. Blue is "
                     "read, brown written; a red line is a barrier; point at things to see more.",
                     described->trace.substeps, std::min(described->trace.iterations, 2), described->trace.iterations);
  ImGui::BeginChild("passes", {0.0f, 0.0f}, true, ImGuiWindowFlags_HorizontalScrollbar);
  Page(app, *described).build();
  ImGui::EndChild();
}

}  // namespace viewer
