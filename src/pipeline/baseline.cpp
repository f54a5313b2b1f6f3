#include "pipeline/baseline.h"

#include "types/modules.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>

namespace graphmend::pipeline {
namespace {

std::string key_of(const CheckFinding& finding) {
  std::string_view line = finding.excerpt;
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
    line.remove_prefix(1);
  }
  std::string key = finding.path + '\t' + std::string(finding.kind) + '\t' + finding.function +
                    '\t' + std::string(line);
  std::replace(key.begin(), key.end(), '\r', ' ');
  return key;
}

}  // namespace

bool write_baseline(const std::string& path, const std::vector<CheckFinding>& findings) {
  std::ofstream stream(path, std::ios::binary);
  for (const CheckFinding& finding : findings) {
    stream << key_of(finding) << '\n';
  }
  stream.flush();
  return stream.good();
}

bool apply_baseline(const std::string& path, std::vector<CheckFinding>& findings) {
  const auto text = types::read_file(path);
  if (!text) {
    return false;
  }
  std::map<std::string, std::size_t, std::less<>> known;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    ++known[std::string(rest.substr(0, end))];
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::erase_if(findings, [&](const CheckFinding& finding) {
    const auto found = known.find(key_of(finding));
    if (found == known.end() || found->second == 0) {
      return false;
    }
    --found->second;
    return true;
  });
  return true;
}

}  // namespace graphmend::pipeline
