#include "bench/plot.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace bench {
namespace {

#ifdef _WIN32
constexpr char path_separator = ';';
constexpr const char* gnuplot = "gnuplot.exe";
std::FILE* open_pipe(const char* command) {
  return _popen(command, "wb");
}
int close_pipe(std::FILE* pipe) {
  return _pclose(pipe);
}
#else
constexpr char path_separator = ':';
constexpr const char* gnuplot = "gnuplot";
std::FILE* open_pipe(const char* command) {
  return popen(command, "w");
}
int close_pipe(std::FILE* pipe) {
  return pclose(pipe);
}
#endif

// In single quotes gnuplot takes every character as it is, and '' for a quote.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

bool drawable(const Plot& plot, const std::pair<double, double>& p) {
  return std::isfinite(p.first) && std::isfinite(p.second) && (!plot.log_x || p.first > 0.0) &&
         (!plot.log_y || p.second > 0.0);
}

}  // namespace

std::string gnuplot_script(const Plot& plot, const std::string& name) {
  std::string out = "set terminal svg size 800,500 noenhanced background 'white'\n";
  out += fmt::format("set output {}\nset title {}\nset xlabel {}\nset ylabel {}\nset grid\nset key outside right\n",
                     quoted(name + ".svg"), quoted(plot.title), quoted(plot.x), quoted(plot.y));
  if (plot.log_x)
    out += "set logscale x\n";
  if (plot.log_y)
    out += "set logscale y\n";
  std::vector<std::string> curves;
  std::size_t block = 0;
  for (const Series& series : plot.series) {
    std::string data;
    for (const auto& p : series.points)
      if (drawable(plot, p))
        data += fmt::format("{:.9g} {:.9g}\n", p.first, p.second);
    if (data.empty())  // gnuplot refuses to plot nothing
      continue;
    out += fmt::format("$d{} << END\n{}END\n", block, data);
    // More curves than colours repeat these in dashes.
    curves.push_back(fmt::format("$d{} using 1:2 with {} linetype {} {} title {}", block, series.style, block % 8 + 1,
                                 series.style == "points" ? "" : fmt::format("dashtype {}", block / 8 + 1),
                                 quoted(series.name)));
    ++block;
  }
  if (curves.empty())
    return out + "set xrange [0:1]\nset yrange [0:1]\nset label 'no data' at 0.5, 0.5 center\nplot NaN notitle\n";
  return out + fmt::format("plot {}\n", fmt::join(curves, ", \\\n  "));
}

void need_gnuplot() {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  for (std::string directory; std::getline(directories, directory, path_separator);) {
    std::error_code error;
    if (std::filesystem::is_regular_file(std::filesystem::path(directory) / gnuplot, error))
      return;
  }
  throw PlotError(
      "plots need the program gnuplot; install it (Debian, Ubuntu: apt-get install gnuplot-nox; Fedora: dnf "
      "install gnuplot-minimal; Arch: pacman -S gnuplot; macOS: brew install gnuplot) or go without by "
      "--no-plots");
}

void draw(const Plot& plot, const std::filesystem::path& directory, const std::string& name) {
  const std::string script = gnuplot_script(plot, name);
  std::ofstream(directory / (name + ".gp")) << script;
  std::FILE* pipe = open_pipe(gnuplot);
  if (!pipe)
    throw PlotError("gnuplot cannot be started");
  const std::string all = fmt::format("cd {}\n{}", quoted(directory.string()), script);
  const bool written = std::fwrite(all.data(), 1, all.size(), pipe) == all.size();
  if (close_pipe(pipe) != 0 || !written)
    throw PlotError(
        fmt::format("{} cannot be drawn: gnuplot reports an error", (directory / (name + ".svg")).string()));
}

}  // namespace bench
