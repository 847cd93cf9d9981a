// Panels to see with: keys, look, statistics.
#include "engine/scene/scene.h"
#include "engine/scene/words.h"
#include "shaders/shared/color_scale.h"
#include "viewer/live/app.h"
#include "viewer/live/input.h"
#include "viewer/live/panels.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace viewer {

using talus::BodiesAs, talus::ColorBy, talus::ContactLines, talus::Level;

void keys_panel(App&) {
  if (!ImGui::BeginTable("keys", 2))
    return;
  for (int k = 0; k < key_help_count; ++k) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(accent_tone(), "%s", key_help[k].key);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(key_help[k].what);
  }
  ImGui::EndTable();
}

namespace {

template <class T> bool choice(const char* label, T& value, std::initializer_list<std::pair<T, const char*>> all) {
  bool changed = false;
  ImGui::TextDisabled("%s", label);
  for (const auto& [one, name] : all) {
    ImGui::SameLine();
    if (ImGui::RadioButton(name, value == one)) {
      value = one;
      changed = true;
    }
  }
  return changed;
}

// What to think of forces that these methods tell.
void note_on_forces(App& app, const talus::Look& look) {
  if (!app.session() || (look.color_by != ColorBy::force && look.contacts != ContactLines::force))
    return;
  const talus::Method method = app.session()->scene().solver.method;
  if (method == talus::Method::p2 || method == talus::Method::pbd)
    ImGui::TextWrapped("Method %s corrects positions: its forces are estimates, up to a half too low.",
                       talus::word(method).data());
}

// In the order of ColorBy.
struct Coloring {
  const char *name, *unit, *help;
};
constexpr Coloring colorings[] = {
    {"own colour", "", "That of the material, each grain a little different"},
    {"speed", "m/s", ""},
    {"height", "m", ""},
    {"overlap", "radii", "The greatest of a grain's contacts, in radii of the smaller partner"},
    {"contacts", "", "How many touch"},
    {"contact force", "N", "The greatest normal force of a grain's contacts"},
    {"material", "", "A colour for each, far from the others"},
    {"id", "", "The number of the grain, as it was filled in or poured: how layers mix"},
    {"world", "", ""},
    {"radius", "m", ""},
    {"spin", "rad/s", "Magnitude of the angular velocity; 0 where grains do not rotate"},
    {"activity", "", "0: asleep, 0.5: asleep beside what moves, 1: awake"},
};
static_assert(std::size(colorings) == talus::words<ColorBy>.size());

// What a scale's colours mean. Those of the picture are lit besides.
void color_bar(bool logarithmic, const glm::vec2& range, const char* unit) {
  constexpr int pieces = 48;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  const auto tone = [](int k) {
    const glm::vec3 linear = talus::shared::color_scale(static_cast<float>(k) / pieces);
    const glm::vec3 c = glm::pow(glm::min(linear, 1.0f), glm::vec3(1.0f / 2.2f));
    return ImGui::ColorConvertFloat4ToU32({c.r, c.g, c.b, 1.0f});
  };
  for (int k = 0; k < pieces; ++k)
    ImGui::GetWindowDrawList()->AddRectFilledMultiColor(
        {at.x + width * static_cast<float>(k) / pieces, at.y},
        {at.x + width * static_cast<float>(k + 1) / pieces, at.y + height}, tone(k), tone(k + 1), tone(k + 1), tone(k));
  ImGui::Dummy({width, height});
  const float middle = logarithmic ? std::sqrt(range.x * range.y) : 0.5f * (range.x + range.y);
  const std::string low = fmt::format("{:.3g}", range.x), between = fmt::format("{:.3g}", middle),
                    high = fmt::format("{:.3g} {}", range.y, unit);
  const float left = ImGui::GetCursorPosX();
  ImGui::TextUnformatted(low.c_str());
  ImGui::SameLine(left + 0.5f * (width - ImGui::CalcTextSize(between.c_str()).x));
  ImGui::TextUnformatted(between.c_str());
  ImGui::SameLine(left + width - ImGui::CalcTextSize(high.c_str()).x);
  ImGui::TextUnformatted(high.c_str());
}

// The ends of the colour scale: by itself, or set from where it stands.
bool color_range(App& app, const char* unit) {
  talus::Look& look = app.look();
  const auto shown = app.renderer().color_range();
  bool automatic = !(look.color_range.x < look.color_range.y), changed = false;
  if (ImGui::Checkbox("Range by itself", &automatic) && (automatic || shown)) {
    look.color_range = automatic ? glm::dvec2(0.0) : glm::dvec2(*shown);
    changed = true;
  }
  if (look.color_range.x < look.color_range.y) {
    auto low = static_cast<float>(look.color_range.x), high = static_cast<float>(look.color_range.y);
    if (ImGui::DragFloatRange2("##range", &low, &high, 0.005f * (high - low), 0.0f, 0.0f, "%.3g", "%.3g") &&
        low < high) {
      look.color_range = {low, high};
      changed = true;
    }
  }
  if (shown)
    color_bar(look.color_by == ColorBy::force, *shown, unit);
  return changed;
}

bool coloring(App& app) {
  talus::Look& look = app.look();
  bool changed = false;
  const Coloring& now = colorings[static_cast<std::size_t>(look.color_by)];
  if (ImGui::BeginCombo("Colour", now.name)) {
    for (std::size_t k = 0; k < std::size(colorings); ++k) {
      const auto one = static_cast<ColorBy>(k);
      if (ImGui::Selectable(colorings[k].name, one == look.color_by) && one != look.color_by) {
        look.color_by = one;
        look.color_range = {};
        changed = true;
      }
      if (*colorings[k].help && ImGui::IsItemHovered())
        ImGui::SetTooltip("%s", colorings[k].help);
    }
    ImGui::EndCombo();
  }
  if (talus::shared::has_scale(static_cast<std::uint32_t>(look.color_by)))
    changed |= color_range(app, now.unit);
  return changed;
}

// Between grains of full size no line is to be seen.
bool contacts(talus::Look& look) {
  const ContactLines before = look.contacts;
  bool changed =
      choice("Contacts", look.contacts,
             {{ContactLines::none, "hidden"}, {ContactLines::plain, "lines"}, {ContactLines::force, "by force"}});
  if ((before == ContactLines::none) != (look.contacts == ContactLines::none))
    look.grain_size = before == ContactLines::none ? 0.3 : 1.0;
  if (look.contacts == ContactLines::force) {
    auto force = static_cast<float>(look.line_force);
    if (ImGui::DragFloat("Thickest, N", &force, std::max(0.01f * force, 1e-3f), 0.0f, 1e9f,
                         force > 0.0f ? "%.3g" : "the greatest")) {
      look.line_force = static_cast<double>(force);
      changed = true;
    }
  }
  auto size = static_cast<float>(look.grain_size);
  if (ImGui::SliderFloat("Grain size", &size, 0.0f, 1.0f, "%.2f")) {
    look.grain_size = static_cast<double>(size);
    changed = true;
  }
  return changed;
}

// How bodies are shown, and a plane through the one that is chosen.
bool bodies(App& app) {
  if (!app.session() || app.session()->scene().bodies.empty())
    return false;
  talus::Look& look = app.look();
  bool changed = choice("Bodies", look.bodies,
                        {{BodiesAs::solid, "solid"}, {BodiesAs::wireframe, "wireframe"}, {BodiesAs::hidden, "hidden"}});
  bool sliced = look.slice.has_value();
  const std::uint32_t body = app.chosen_body();
  const std::string label = fmt::format("Distance field of {}", app.session()->scene().bodies.at(body).name);
  if (ImGui::Checkbox(label.c_str(), &sliced)) {
    look.slice = sliced ? std::optional(talus::Slice{.body = body}) : std::nullopt;
    changed = true;
  }
  if (!look.slice)
    return changed;
  changed |= look.slice->body != body;  // another one was chosen in the panel Drive
  look.slice->body = body;
  changed |= choice("Across", look.slice->axis, {{0, "x"}, {1, "y"}, {2, "z"}});
  auto place = static_cast<float>(look.slice->place);
  if (ImGui::SliderFloat("Place", &place, -1.0f, 1.0f, "%.2f")) {
    look.slice->place = static_cast<double>(place);
    changed = true;
  }
  return changed;
}

}  // namespace

bool look_panel(App& app) {
  talus::Look& look = app.look();
  bool changed = coloring(app);
  if (app.session() && app.session()->scene().solver.rotation)
    changed |= ImGui::Checkbox("Stones that turn, in place of balls", &look.marks);
  changed |= contacts(look);
  changed |= bodies(app);
  note_on_forces(app, look);
  if (app.session() && app.session()->scene().upsampling)
    changed |= choice("Grains", look.level, {{Level::fine, "fine"}, {Level::coarse, "coarse"}, {Level::both, "both"}});
  if (ImGui::Button("The scene's own view")) {
    app.start_camera();
    changed = true;
  }
  if (app.camera().has_floor() && ImGui::Checkbox("Camera may go below the floor", &app.camera().below_floor)) {
    app.camera().stay_above();
    changed = true;
  }
  changed |= choice("Quality", look.quality, {{talus::Quality::draft, "draft"}, {talus::Quality::good, "good"}});
  using Choice = Sharpness::Choice;
  changed |= choice("Pixels", app.sharpness().choice,
                    {{Choice::automatic, "as fast as they come"}, {Choice::full, "all"}, {Choice::half, "half"}});
  bool vsync = app.window().vsync();
  if (ImGui::Checkbox("Wait for the display (vsync)", &vsync)) {
    app.window().set_vsync(vsync);
    app.remembered().vsync = vsync;
  }
  return changed;
}

namespace {

// A frame for a plot: its values from 0 at the lower edge to `most` at the upper one, and below it where it begins and
// ends. Its corners, within the labels.
struct PlotArea {
  ImVec2 low, high;  // pixels, upper left and lower right
};
PlotArea plot_area(App& app, double most, const char* unit, const std::string& begin, const std::string& end) {
  const float scale = app.gui_scale(), line = ImGui::GetTextLineHeight(), gap = 4.0f * scale;
  const std::string top = fmt::format("{:g}", most), zero = "0";
  const auto width_of = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wide = ImGui::GetContentRegionAvail().x, high = 52.0f * scale;
  // As wide for every plot, so that they stand below each other.
  const PlotArea area{{at.x + width_of("8.88e+88") + gap, at.y}, {at.x + wide, at.y + high}};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 tone = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  const auto write = [&](float x, float y, const std::string& text) { list.AddText({x, y}, tone, text.c_str()); };
  list.AddRectFilled(area.low, area.high, ImGui::GetColorU32(ImGuiCol_FrameBg));
  for (const float y : {area.low.y, 0.5f * (area.low.y + area.high.y), area.high.y})
    list.AddLine({area.low.x, y}, {area.high.x, y}, ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.4f));
  write(area.low.x - gap - width_of(top), area.low.y - 0.25f * line, top);
  write(area.low.x - gap - width_of(unit), area.low.y + 0.75f * line, unit);
  write(area.low.x - gap - width_of(zero), area.high.y - 0.75f * line, zero);
  write(area.low.x, area.high.y, begin);
  write(area.high.x - width_of(end), area.high.y, end);
  ImGui::Dummy({wide, high + line});
  return area;
}

// The next of 1, 2, 5, 10, .. from it on, so that a plot's scale stands still while its values change little.
double round_up(double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0})
    if (value <= step * power)
      return step * power;
  return 10.0 * power;
}

// name: of what the values are; unit: short, beside the scale.
void plot(App& app, const char* name, const char* unit, const std::deque<Statistics::Point>& series) {
  if (series.empty())
    return;
  const double begin = series.front().time, end = series.back().time;
  const double most = round_up(std::ranges::max_element(series, {}, &Statistics::Point::value)->value);
  ImGui::Text("%s: %.4g %s", name, series.back().value, unit);
  const PlotArea area = plot_area(app, most, unit, fmt::format("{:.4g} s", begin), fmt::format("{:.4g} s", end));
  std::vector<ImVec2> line;
  for (const Statistics::Point& point : series) {
    const double x = end > begin ? (point.time - begin) / (end - begin) : 1.0;
    const double y = std::clamp(point.value / most, 0.0, 1.0);
    line.push_back({area.low.x + static_cast<float>(x) * (area.high.x - area.low.x),
                    area.high.y - static_cast<float>(y) * (area.high.y - area.low.y)});
  }
  ImGui::GetWindowDrawList()->AddPolyline(line.data(), static_cast<int>(line.size()),
                                          ImGui::GetColorU32(ImGuiCol_PlotLines), 0, 1.5f * app.gui_scale());
}

void pass_bars(const char* per, const std::vector<Statistics::Pass>& passes) {
  constexpr std::size_t shown = 16;
  double total = 0.0;
  for (const Statistics::Pass& pass : passes)
    total += pass.ms;
  ImGui::Text("%.3g ms a %s", total, per);
  for (std::size_t p = 0; p < std::min(passes.size(), shown); ++p)
    ImGui::ProgressBar(static_cast<float>(passes[p].ms / passes[0].ms), {-1.0f, 0.0f},
                       fmt::format("{}  {:.3g} ms", passes[p].name, passes[p].ms).c_str());
}

// Where the time of frames goes: stacked, one over the other.
void frame_split(App& app, const std::deque<Statistics::Split>& splits) {
  if (splits.empty())
    return;
  const ImVec4 colors[] = {{0.88f, 0.66f, 0.33f, 1.0f}, {0.36f, 0.62f, 0.85f, 1.0f}, {0.55f, 0.56f, 0.60f, 1.0f}};
  const auto parts = [](const Statistics::Split& split) {
    return std::array{split.simulation, split.drawing, split.idle};
  };
  const auto whole = [&](const Statistics::Split& split) { return split.simulation + split.drawing + split.idle; };
  const double most = round_up(whole(*std::ranges::max_element(splits, {}, whole)));
  double seconds = 0.0;
  for (const Statistics::Split& split : splits)
    seconds += split.seconds;
  const PlotArea area = plot_area(app, most, "ms", fmt::format("{:.3g} s ago", seconds), "now");
  const ImVec2 size{area.high.x - area.low.x, area.high.y - area.low.y};
  double passed = 0.0;
  for (const Statistics::Split& split : splits) {
    const float left = area.low.x + size.x * static_cast<float>(passed / seconds);
    const float right = area.low.x + size.x * static_cast<float>((passed += split.seconds) / seconds);
    float low = area.high.y;
    for (std::size_t part = 0; part < 3; ++part) {
      const float high = low - size.y * static_cast<float>(parts(split)[part] / most);
      ImGui::GetWindowDrawList()->AddRectFilled({left, high}, {right, low},
                                                ImGui::ColorConvertFloat4ToU32(colors[part]));
      low = high;
    }
  }
  constexpr const char* names[] = {"simulation", "drawing", "idle"};
  for (std::size_t part = 0; part < 3; ++part)
    ImGui::TextColored(colors[part], "%s %.1f ms a frame", names[part], parts(splits.back())[part]);
}

}  // namespace

void statistics_panel(App& app) {
  Session* session = app.session();
  if (!session) {
    ImGui::TextDisabled("No scene is open.");
    return;
  }
  const Statistics& statistics = app.statistics();
  const talus::Measure& m = statistics.measure();
  ImGui::Text("%u grains", m.grains);
  if (statistics.fine() > 0)
    ImGui::Text("%u fine grains", statistics.fine());
  if (statistics.removed() > 0)
    ImGui::Text("%u grains dug away", statistics.removed());
  const talus::Renderer::Drawn drawn = app.renderer().drawn();
  ImGui::Text("%u drawn, %u of them as points", drawn.squares + drawn.points, drawn.points);
  ImGui::Text("%.1f contacts a grain, %u at most", m.contacts_mean, m.contacts_max);
  ImGui::TextDisabled("%.1f MiB, %s", static_cast<double>(statistics.memory_bytes()) / (1 << 20),
                      session->simulation().device().name.c_str());
  ImGui::TextDisabled("frame %.1f ms, host %.1f ms", 1e3 * app.frame_seconds(), 1e3 * app.host_seconds());
  frame_split(app, statistics.splits());
  if (ImGui::CollapsingHeader("Over time", ImGuiTreeNodeFlags_DefaultOpen)) {
    plot(app, "Kinetic energy", "J", statistics.series(Statistics::energy));
    plot(app, "Mean overlap, of the radius", "%", statistics.series(Statistics::overlap));
    plot(app, "Speed, of real time", "x", statistics.series(Statistics::real_time));
    if (const std::string body = app.chosen_body_name(); !body.empty())
      plot(app, fmt::format("Force on {}", body).c_str(), "N", statistics.series(Statistics::force));
    if (ImGui::Button("Save as CSV"))
      app.save_charts();
  }
  if (ImGui::CollapsingHeader("Passes")) {
    pass_bars("step", statistics.passes());
    pass_bars("frame", statistics.drawing());
  }
}

}  // namespace viewer
