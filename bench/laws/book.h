#pragma once
// The book of evidence: runs its cases, and writes them as a page that needs nothing but a browser, and as Markdown.
#include "bench/laws/law.h"
#include <filesystem>

namespace bench {

struct BookOptions {
  std::filesystem::path out;
  std::vector<std::string> only;  // empty: all
  std::string device = "auto";
  std::vector<std::string> methods;  // of dem, vts and sp; empty: all, in the short version dem
  int workers = 1;
  bool quick = false;
};

std::vector<Law> all_laws();
void list_laws();

// Writes for each case NAME.json (what was measured), NAME.toml and NAME.png (its scene, and a picture of it), and
// NAME_1.svg and so on (plots) into options.out / "laws"; then laws.html and laws.md of all cases whose NAME.json is
// there into options.out, so that a case can be run again by itself. Says so where there is no Vulkan device to draw
// by.
void run_laws(const BookOptions& options);

}  // namespace bench
