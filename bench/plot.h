#pragma once
// Plots by gnuplot: NAME.gp with its data inside, NAME.svg drawn from it.
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct PlotError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // those that are no numbers are left out
  std::string style = "lines";                    // of gnuplot: lines, points, linespoints
};

struct Plot {
  std::string title, x, y;  // labels
  std::vector<Series> series;
  bool log_x = false, log_y = false;
};

// The program that draws the plot into NAME.svg of the directory that it runs in.
std::string gnuplot_script(const Plot& plot, const std::string& name);

// Throws PlotError, with what to install, where there is no gnuplot.
void need_gnuplot();

// Writes NAME.gp and NAME.svg into the directory.
void draw(const Plot& plot, const std::filesystem::path& directory, const std::string& name);

}  // namespace bench
