#include "bench/laws/book.h"
#include "bench/context.h"
#include "bench/error.h"
#include "bench/files.h"
#include "bench/json.h"
#include "bench/page.h"
#include "engine/base/atomic_file.h"
#include "engine/scene/text.h"
#include "viewer/png.h"
#include "viewer/renderer.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The folder of what belongs to a case, beside the book itself.
constexpr const char* cases = "laws";

constexpr int picture_width = 400, picture_height = 225;  // pixels: some 60 kB

// What NAME.json holds, beside the names of the files that were written.
struct Written {
  std::string device, date;
  bool quick = false;
  double seconds = 0.0;
  std::vector<Measurement> measurements;
  std::vector<std::string> plots;  // files
  std::string picture, scene;      // files; empty: none
};

// JSON has no infinity, and no NaN.
Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
double number_of(const Json& json, const char* key, double otherwise) {
  return json.at(key).is_number() ? json.at(key).get<double>() : otherwise;
}

std::string text_of(const Written& written) {
  Json measurements = Json::array();
  for (const Measurement& m : written.measurements)
    measurements.push_back({{"what", m.what},
                            {"by", m.by},
                            {"measured", number_json(m.measured)},
                            {"low", number_json(m.low)},
                            {"high", number_json(m.high)},
                            {"reference", number_json(m.reference)}});
  const Json json{{"device", written.device},   {"date", written.date},        {"quick", written.quick},
                  {"seconds", written.seconds}, {"plots", written.plots},      {"picture", written.picture},
                  {"scene", written.scene},     {"measurements", measurements}};
  return json.dump(2) + '\n';
}

Written read_written(const fs::path& file) {
  const Json json = read_json(file);
  const std::string where = file.string();
  Written written{need<std::string>(json, "device", where),
                  need<std::string>(json, "date", where),
                  need<bool>(json, "quick", where),
                  need<double>(json, "seconds", where),
                  {},
                  need<std::vector<std::string>>(json, "plots", where),
                  need<std::string>(json, "picture", where),
                  need<std::string>(json, "scene", where)};
  for (const Json& m : need<Json>(json, "measurements", where))
    written.measurements.push_back({need<std::string>(m, "what", where), need<std::string>(m, "by", where),
                                    number_of(m, "measured", NAN), number_of(m, "low", -INFINITY),
                                    number_of(m, "high", INFINITY), number_of(m, "reference", NAN)});
  return written;
}

std::vector<Law> chosen(const std::vector<std::string>& only) {
  std::vector<Law> all = all_laws(), some;
  if (only.empty())
    return all;
  for (const std::string& name : only) {
    const auto found = std::ranges::find(all, name, &Law::name);
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const Law& law : all)
        names.push_back(law.name);
      throw UsageError(fmt::format("--only {}: there is no such case; there are {}", name, fmt::join(names, ", ")));
    }
    some.push_back(*found);
  }
  return some;
}

// The name of the file; empty where there is no device to draw by.
std::string draw_shot(const Shot& shot, const fs::path& directory, const std::string& name) {
  try {
    const talus::Image image =
        talus::Renderer(shot.drawn.value_or(shot.scene), picture_width, picture_height).draw(shot.grains);
    viewer::write_png(directory / (name + ".png"), image.width, image.height, image.rgba);
    return name + ".png";
  } catch (const talus::DeviceError& error) {
    fmt::print(stderr, "note: {} has no picture: {}\n", name, error.what());
    return "";
  }
}

Written run_law(const Law& law, const LawContext& context, const std::string& device, const fs::path& out) {
  const fs::path files = out / cases;
  const auto begin = Clock::now();
  const Evidence evidence = law.run(context);
  Written written{device,
                  machine_context().at("date").get<std::string>(),
                  context.quick,
                  std::chrono::duration<double>(Clock::now() - begin).count(),
                  evidence.measurements,
                  {},
                  "",
                  ""};
  for (const Plot& plot : evidence.plots) {
    const std::string name = fmt::format("{}_{}", law.name, written.plots.size() + 1);
    draw(plot, files, name);
    fs::remove(files / (name + ".gp"));
    written.plots.push_back(name + ".svg");
  }
  if (evidence.shot) {
    written.scene = law.name + ".toml";
    talus::write_file(files / written.scene, talus::to_toml(evidence.shot->scene));
    if (!evidence.shot->grains.empty())
      written.picture = draw_shot(*evidence.shot, files, law.name);
  }
  talus::write_file(files / (law.name + ".json"), text_of(written));
  return written;
}

// The band as text: what the reference is, and how far from it a measurement may be.
std::string digits(double value) {
  return std::isfinite(value) ? number(value, 4) : "none";
}
std::string band_of(const Measurement& m) {
  if (!std::isfinite(m.low))
    return fmt::format("at most {}", digits(m.high));
  return std::isfinite(m.high) ? fmt::format("{} to {}", digits(m.low), digits(m.high))
                               : fmt::format("at least {}", digits(m.low));
}
std::string reference_of(const Measurement& m) {
  return std::isfinite(m.reference) ? digits(m.reference) : "";
}

std::size_t holding(const std::vector<Measurement>& measurements) {
  return static_cast<std::size_t>(std::ranges::count_if(measurements, &Measurement::holds));
}
std::string verdict(const Written& written) {
  const std::size_t all = written.measurements.size(), hold = holding(written.measurements);
  return hold == all ? fmt::format("all {} hold", all) : fmt::format("{} of {} fail", all - hold, all);
}

struct Chapter {
  Law law;
  Written written;
};

std::string when(const Written& written) {
  return fmt::format("{}{:.1f} s on {}", written.quick ? "Short version, " : "", written.seconds, written.device);
}

constexpr const char* intro =
    "What Talus computes, beside laws, theory and experiments. Every number comes from a run of talus-bench laws; what "
    "fails stays here and says so. A measurement holds where it lies within its band.";

std::string markdown_of(const std::vector<Chapter>& chapters) {
  Table contents{{"group", "case", "result", "s"}, {}};
  std::string sections;
  for (const auto& [law, written] : chapters) {
    contents.rows.push_back({law.group, fmt::format("[{}](#{})", law.title, law.name), verdict(written),
                             fmt::format("{:.1f}", written.seconds)});
    Table numbers{{"measured", "by", "value", "reference", "band", "holds"}, {}};
    for (const Measurement& m : written.measurements)
      numbers.rows.push_back(
          {m.what, m.by, digits(m.measured), reference_of(m), band_of(m), m.holds() ? "yes" : "**no**"});
    sections += fmt::format("\n<a name=\"{}\"></a>\n## {}\n\n{}\n\nReference: {}\n\nBand: {}\n\n{}\n", law.name,
                            law.title, law.what, law.source, law.band, markdown(numbers));
    if (!law.remark.empty())
      sections += law.remark + "\n\n";
    for (const std::string& plot : written.plots)
      sections += fmt::format("![{}]({}/{})\n", law.title, cases, plot);
    if (!written.picture.empty())
      sections += fmt::format("![{}, as a picture]({}/{})\n", law.title, cases, written.picture);
    sections +=
        fmt::format("\n{}{}.\n", when(written),
                    written.scene.empty() ? "" : fmt::format("; [{}]({}/{})", written.scene, cases, written.scene));
  }
  return fmt::format("# Talus beside laws and experiments\n\n{}\n\n{}{}", intro, markdown(contents), sections);
}

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(text));
}

std::string page_text(const std::vector<Chapter>& chapters, const fs::path& out) {
  std::vector<std::vector<Cell>> contents;
  std::string sections;
  const auto verdict_cell = [](bool holds, const std::string& text) {
    return Cell{escaped(text), {}, holds ? "text better" : "text worse"};
  };
  for (const auto& [law, written] : chapters) {
    const bool all_hold = holding(written.measurements) == written.measurements.size();
    contents.push_back({text_cell(law.group),
                        {fmt::format("<a href=\"#{}\">{}</a>", law.name, escaped(law.title)), {}, "text"},
                        verdict_cell(all_hold, verdict(written)),
                        number_cell(written.seconds)});
    std::vector<std::vector<Cell>> rows;
    for (const Measurement& m : written.measurements)
      rows.push_back({text_cell(m.what), text_cell(m.by), number_cell(m.measured), number_cell(m.reference),
                      text_cell(band_of(m)), verdict_cell(m.holds(), m.holds() ? "yes" : "no")});
    sections += fmt::format("<section id=\"{}\"><h2>{}</h2>\n", law.name, escaped(law.title)) + paragraph(law.what) +
                paragraph("Reference: " + law.source) + paragraph("Band: " + law.band) +
                table("numbers",
                      {{"what", "measured"},
                       {"by", "by"},
                       {"value", "value"},
                       {"reference", "reference"},
                       {"band", "band"},
                       {"holds", "holds"}},
                      rows) +
                paragraph(law.remark);
    std::string files;
    for (const std::string& plot : written.plots)
      files += fmt::format("<img alt=\"{}\" src=\"{}\">\n", escaped(law.title),
                           data_uri("image/svg+xml", file_text(out / cases / plot)));
    if (!written.picture.empty())
      files += fmt::format("<img alt=\"{}\" src=\"{}\">\n", escaped(law.title),
                           data_uri("image/png", file_text(out / cases / written.picture)));
    sections += fmt::format("<div class=\"charts\">{}</div>\n", files) + paragraph(when(written) + ".");
    if (!written.scene.empty())
      sections += fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", escaped(written.scene),
                              escaped(file_text(out / cases / written.scene)));
    sections += "</section>\n";
  }
  return page_of(
      {"Talus beside laws and experiments", intro,
       table("contents", {{"group", "group"}, {"case", "case"}, {"result", "result"}, {"seconds", "s"}}, contents) +
           sections});
}

}  // namespace

std::vector<Law> all_laws() {
  std::vector<Law> all;
  for (const auto& group :
       {single_contact_laws(), static_laws(), silo_laws(), flow_laws(), impact_laws(), shaking_laws(), shear_laws(),
        penetration_laws(), tool_laws(), wheel_laws(), triaxial_laws()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

void list_laws() {
  fmt::print("{:<22} {:>9}  {}\n", "name", "core min", "what");
  for (const Law& law : all_laws())
    fmt::print("{:<22} {:>9.2g}  {}\n", law.name, law.minutes, law.title);
}

void run_laws(const BookOptions& options) {
  const std::vector<Law> laws = chosen(options.only);
  need_gnuplot();
  fs::create_directories(options.out / cases);
  LawContext context{{options.device, 1, options.quick}};
  if (!options.methods.empty())
    context.methods = options.methods;
  else if (options.quick)
    context.methods = {"dem"};
  const talus::DeviceSummary device =
      talus::Simulation(floor_scene(plain(talus::Method::p2), 0.5, 60.0, 1, 1), {.device = options.device}).device();
  std::string name = device.name;
  if (device.type == "CPU path") {
    context.workers = options.workers;
    const Json cpu = machine_context().at("host").at("cpu");
    name = fmt::format("{} threads of {}", options.workers, cpu.is_string() ? cpu.get<std::string>() : device.name);
  }
  for (const Law& law : laws) {
    fmt::print("{:<22} ", law.name);
    std::fflush(stdout);
    const Written written = run_law(law, context, name, options.out);
    fmt::print("{:>7.1f} s  {}\n", written.seconds, verdict(written));
    for (const Measurement& m : written.measurements)
      if (!m.holds())
        fmt::print("  {}, {}: {}, not {}\n", m.what, m.by, digits(m.measured), band_of(m));
  }
  std::vector<Chapter> chapters;
  for (const Law& law : all_laws())
    if (const fs::path file = options.out / cases / (law.name + ".json"); fs::exists(file))
      chapters.push_back({law, read_written(file)});
  talus::write_file(options.out / "laws.html", page_text(chapters, options.out));
  talus::write_file(options.out / "laws.md", markdown_of(chapters));
  fmt::print("the book is {}\n", (options.out / "laws.html").string());
}

}  // namespace bench
