#include "pipeline/check_cache.h"

#include "breaks/catalogue.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>
#include <xxhash.h>

namespace graphmend::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "graphmend check 1\n";

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) {
      out_ += static_cast<char>(value >> shift & 0xff);
    }
  }
  void text(std::string_view text) {
    number(text.size());
    out_ += text;
  }
  [[nodiscard]] const std::string& out() const { return out_; }

 private:
  std::string out_;
};

// Reads what a Writer wrote; after the end everything is empty and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}
  [[nodiscard]] bool ok() const { return ok_; }
  void fail() { ok_ = false; }
  [[nodiscard]] bool at_end() const { return ok_ && in_.empty(); }
  std::uint64_t number() {
    if (in_.size() < 8) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(in_[static_cast<std::size_t>(i)]);
    }
    in_.remove_prefix(8);
    return value;
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  std::string text() {
    const std::uint64_t size = number();
    if (!ok_ || size > in_.size()) {
      ok_ = false;
      return {};
    }
    std::string text(in_.substr(0, size));
    in_.remove_prefix(size);
    return text;
  }
  // A count of things that follow: each takes some bytes.
  std::uint64_t count() {
    const std::uint64_t count = number();
    if (count > in_.size()) {
      ok_ = false;
    }
    return ok_ ? count : 0;
  }

 private:
  std::string_view in_;
  bool ok_ = true;
};

void write(Writer& out, const Place& place, const CheckFinding& finding) {
  out.number(std::get<1>(place));
  out.number(std::get<2>(place));
  out.text(finding.path);
  out.text(finding.kind);
  for (const std::uint32_t number :
       {finding.line, finding.column, finding.end_line, finding.end_column}) {
    out.number(number);
  }
  out.number(static_cast<std::uint64_t>(finding.certainty));
  out.text(finding.function);
  out.text(finding.excerpt);
  out.number(finding.reached_from.size());
  for (const Passage& passage : finding.reached_from) {
    out.text(passage.function);
    out.text(passage.path);
    out.number(passage.line);
  }
}

void read_finding(Reader& in, FileResult& result) {
  const std::uint32_t start = in.small();
  const std::uint32_t end = in.small();
  CheckFinding finding;
  finding.path = in.text();
  const breaks::Entry* const kind = breaks::find_kind(in.text());
  if (kind == nullptr) {
    in.fail();
    return;
  }
  describe_kind(*kind, finding);
  for (std::uint32_t* number :
       {&finding.line, &finding.column, &finding.end_line, &finding.end_column}) {
    *number = in.small();
  }
  const std::uint64_t certainty = in.number();
  if (certainty > static_cast<std::uint64_t>(breaks::Certainty::Possible)) {
    in.fail();
    return;
  }
  finding.certainty = static_cast<breaks::Certainty>(certainty);
  finding.function = in.text();
  finding.excerpt = in.text();
  for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
    Passage& passage = finding.reached_from.emplace_back();
    passage.function = in.text();
    passage.path = in.text();
    passage.line = in.small();
  }
  Place place(finding.path, start, end, finding.kind);
  result.findings.emplace(std::move(place), std::move(finding));
}

void read_problem(Reader& in, FileResult& result) {
  CheckProblem& problem = result.problems.emplace_back();
  const std::uint64_t kind = in.number();
  if (kind > static_cast<std::uint64_t>(CheckProblem::Kind::UnusedIgnore)) {
    in.fail();
    return;
  }
  problem.kind = static_cast<CheckProblem::Kind>(kind);
  problem.path = in.text();
  problem.line = in.small();
  problem.column = in.small();
  problem.message = in.text();
  problem.excerpt = in.text();
}

void write(Writer& out, const FileResult& result) {
  out.number(result.roots);
  out.number(result.findings.size());
  for (const auto& [place, finding] : result.findings) {
    write(out, place, finding);
  }
  out.number(result.problems.size());
  for (const CheckProblem& problem : result.problems) {
    out.number(static_cast<std::uint64_t>(problem.kind));
    out.text(problem.path);
    out.number(problem.line);
    out.number(problem.column);
    out.text(problem.message);
    out.text(problem.excerpt);
  }
}

FileResult read_result(Reader& in) {
  FileResult result;
  result.roots = in.number();
  for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
    read_finding(in, result);
  }
  for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
    read_problem(in, result);
  }
  return result;
}

// Whether a file, or that there is none, is what it was.
bool holds(const Dependency& known, types::ModuleGraph& modules,
           const std::unordered_set<std::string_view>& checked) {
  if (!known.name.empty() && modules.resolve(known.name) != known.path) {
    return false;
  }
  if (known.path.empty()) {
    return true;
  }
  const std::string& spelled = modules.spelling(known.path);
  return spelled == known.spelled && checked.contains(spelled) == known.checked &&
         modules.name_of(known.path) == known.module && modules.hash_of(known.path) == known.hash;
}

std::string digest(std::string_view body) {
  const XXH128_hash_t hash = XXH3_128bits(body.data(), body.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

}  // namespace

std::optional<std::string> read_kept(const std::string& path) {
  auto data = types::read_file(path);
  if (!data || !data->starts_with(kMagic) || data->size() < kMagic.size() + 16) {
    return std::nullopt;
  }
  const std::string_view all = *data;
  const std::string_view body = all.substr(kMagic.size() + 16);
  if (digest(body) != all.substr(kMagic.size(), 16)) {
    return std::nullopt;
  }
  return std::string(body);
}

void write_kept(const std::string& path, std::string_view body) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string beside =
      path + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".part";
  std::FILE* const file = std::fopen(beside.c_str(), "wb");
  if (file == nullptr) {
    return;
  }
  bool ok = true;
  const std::string sum = digest(body);
  for (const std::string_view part : {kMagic, std::string_view(sum), body}) {
    ok = ok && std::fwrite(part.data(), 1, part.size(), file) == part.size();
  }
  ok = std::fclose(file) == 0 && ok;
  if (ok) {
    fs::rename(beside, path, error);
  }
  if (!ok || error) {
    fs::remove(beside, error);
  }
}

std::string CheckCache::path_of(std::span<const std::string> files) const {
  Writer key;
  key.text(facts_);
  for (const std::string& file : files) {
    key.text(file);
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const char c : digest(key.out())) {
    name += kDigits[static_cast<unsigned char>(c) >> 4];
    name += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2) + ".findings";
}

std::optional<std::vector<FileResult>> CheckCache::load(
    std::span<const std::string> files, types::ModuleGraph& modules,
    const std::unordered_set<std::string_view>& checked) const {
  const auto body = enabled() ? read_kept(path_of(files)) : std::nullopt;
  if (!body) {
    return std::nullopt;
  }
  Reader in(*body);
  for (std::uint64_t left = in.count(); left > 0; --left) {
    Dependency known;
    known.name = in.text();
    known.path = in.text();
    known.spelled = in.text();
    known.module = in.text();
    known.hash = in.number();
    known.checked = in.number() != 0;
    if (!in.ok() || !holds(known, modules, checked)) {
      return std::nullopt;
    }
  }
  std::vector<FileResult> results;
  for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
    results.push_back(read_result(in));
  }
  return in.at_end() && results.size() == files.size() ? std::optional(std::move(results))
                                                       : std::nullopt;
}

void CheckCache::store(std::span<const std::string> files, std::span<const FileResult> results,
                       std::span<const Dependency> dependencies) const {
  if (!enabled()) {
    return;
  }
  Writer out;
  out.number(dependencies.size());
  for (const Dependency& one : dependencies) {
    out.text(one.name);
    out.text(one.path);
    out.text(one.spelled);
    out.text(one.module);
    out.number(one.hash);
    out.number(one.checked ? 1 : 0);
  }
  out.number(results.size());
  for (const FileResult& result : results) {
    write(out, result);
  }
  write_kept(path_of(files), out.out());
}

}  // namespace graphmend::pipeline
