// Runs a fuzz target without libFuzzer: replays files, then mutates them without looking at
// coverage. The same seed makes the same inputs.
//
//   fuzz_<name> [--runs N] [--seconds S] [--seed K] [--max-len L] [--words FILE] PATH...
//
// A finding ends the process; its input is then in ./finding.
#include "property.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

// What the target is looking at, for the handler that runs when it fails.
const Bytes* current_input = nullptr;

// Writes the input away with what a signal handler may call.
void keep_finding(int signal) {
  if (current_input != nullptr) {
    if (std::FILE* file = std::fopen("finding", "wb")) {
      std::fwrite(current_input->data(), 1, current_input->size(), file);
      std::fclose(file);
      std::fputs("the input is in ./finding\n", stderr);
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const Bytes& input) {
  current_input = &input;
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<std::filesystem::path> files_under(const std::string& path) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(path)) {
    return {path};
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The words of a libFuzzer dictionary: what stands between the quotes of each line.
std::vector<Bytes> read_words(const std::string& path) {
  std::vector<Bytes> words;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find('"');
    const std::size_t last = line.rfind('"');
    if (line.starts_with('#') || first == last) {
      continue;
    }
    Bytes word;
    for (std::size_t i = first + 1; i < last; ++i) {
      if (line[i] == '\\' && line[i + 1] == 'x') {
        word.push_back(static_cast<std::uint8_t>(std::stoi(line.substr(i + 2, 2), nullptr, 16)));
        i += 3;
      } else {
        i += line[i] == '\\' ? 1 : 0;
        word.push_back(static_cast<std::uint8_t>(line[i]));
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

class Mutator {
 public:
  Mutator(std::vector<Bytes> seeds, std::vector<Bytes> words, std::uint64_t seed,
          std::size_t longest)
      : seeds_(std::move(seeds)), words_(std::move(words)), state_(seed), longest_(longest) {}

  Bytes next() {
    Bytes input = piece(longest_);
    for (std::size_t i = 1 + below(6); i > 0; --i) {
      mutate(input);
    }
    input.resize(std::min(input.size(), longest_));
    return input;
  }

 private:
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return limit == 0 ? 0 : static_cast<std::size_t>(state_ >> 33) % limit;
  }
  // A part of a seed that starts at a line.
  Bytes piece(std::size_t longest) {
    if (seeds_.empty()) {
      return {};
    }
    const Bytes& seed = seeds_[below(seeds_.size())];
    std::size_t start = seed.size() <= longest ? 0 : below(seed.size() - longest);
    while (start > 0 && seed[start - 1] != '\n') {
      --start;
    }
    const std::size_t size = std::min(longest, seed.size() - start);
    const auto first = seed.begin() + static_cast<std::ptrdiff_t>(start);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
  }
  void insert(Bytes& input, const Bytes& part) {
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(below(input.size() + 1));
    input.insert(at, part.begin(), part.end());
  }
  void mutate(Bytes& input) {
    switch (below(6)) {
      case 0:
        if (!input.empty()) {
          input[below(input.size())] = static_cast<std::uint8_t>(below(256));
        }
        return;
      case 1: {
        const std::size_t start = below(input.size());
        const std::size_t size = std::min(1 + below(8), input.size() - start);
        const auto first = input.begin() + static_cast<std::ptrdiff_t>(start);
        input.erase(first, first + static_cast<std::ptrdiff_t>(size));
        return;
      }
      case 2:
        insert(input, piece(1 + below(24)));
        return;
      case 3: {
        const std::size_t start = below(input.size());
        const std::size_t size = std::min(1 + below(16), input.size() - start);
        const auto first = input.begin() + static_cast<std::ptrdiff_t>(start);
        insert(input, Bytes(first, first + static_cast<std::ptrdiff_t>(size)));
        return;
      }
      default:
        if (!words_.empty()) {
          insert(input, words_[below(words_.size())]);
        }
    }
  }

  std::vector<Bytes> seeds_;
  std::vector<Bytes> words_;
  std::uint64_t state_;
  std::size_t longest_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  double seconds = 1e9;
  std::size_t longest = 256;
  std::vector<Bytes> seeds;
  std::vector<Bytes> words;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) {
    std::signal(signal, keep_finding);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--") && i + 1 < argc) {
      const std::string value = argv[++i];
      if (argument == "--runs") {
        runs = std::stoull(value);
      } else if (argument == "--seconds") {
        seconds = std::stod(value);
      } else if (argument == "--seed") {
        seed = std::stoull(value);
      } else if (argument == "--max-len") {
        longest = std::stoul(value);
      } else if (argument == "--words") {
        words = read_words(value);
      } else {
        std::fprintf(stderr, "no such option: %s\n", argument.c_str());
        return 2;
      }
      continue;
    }
    for (const auto& path : files_under(argument)) {
      seeds.push_back(read_file(path));
      run(seeds.back());
    }
  }
  if (seeds.empty()) {
    std::fputs("usage: fuzz_<name> [--runs N] [--seconds S] [--seed K] PATH...\n", stderr);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const std::size_t replayed = seeds.size();
  Mutator mutator(std::move(seeds), std::move(words), seed, longest);
  std::uint64_t done = 0;
  for (; done < runs && (done % 256 != 0 || passed() < seconds); ++done) {
    const Bytes input = mutator.next();
    run(input);
  }
  std::printf("%zu seeds, %llu mutations in %.1f s, no finding\n", replayed,
              static_cast<unsigned long long>(done), passed());
  return 0;
}
