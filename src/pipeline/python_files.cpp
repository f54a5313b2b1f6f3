#include "pipeline/check.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace graphmend::pipeline {
namespace {

namespace fs = std::filesystem;

bool is_skipped(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::error_code error;
  return (name.starts_with('.') && name.size() > 1) || name == "__pycache__" ||
         name == "node_modules" || fs::exists(folder / "pyvenv.cfg", error);
}

}  // namespace

std::vector<std::string> python_files(const std::vector<std::string>& paths,
                                      std::vector<std::string>& missing) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      (fs::exists(path, error) ? files : missing).push_back(path);
      continue;
    }
    auto it = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied,
                                               error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      // What can't be looked at (a link to itself) is no folder, and does not end the walk.
      std::error_code unknown;
      if (it->is_directory(unknown)) {
        if (it->is_symlink(unknown) || is_skipped(it->path())) {
          it.disable_recursion_pending();
        }
      } else if (it->path().extension() == ".py" || it->path().extension() == ".ipynb") {
        files.push_back(it->path().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace graphmend::pipeline
