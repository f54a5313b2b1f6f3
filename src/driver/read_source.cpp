#include "driver/read_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphmend::driver {

namespace {

using source::ReadErrorKind;

base::Failure<InputError> refuse(std::string message) {
  return base::failure(InputError{std::move(message)});
}

std::string reason_of(int error, const std::string& path) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return fmt::format("{}: there is no such file; check the path", path);
    case EACCES:
    case EPERM:
      return fmt::format("{}: you may not read it; check its permissions", path);
    case ELOOP:
      return fmt::format("{}: a symbolic link that leads to itself; name the file", path);
    default:
      return fmt::format("{}: can't be read: {}", path, std::strerror(error));
  }
}

// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

base::Result<std::string, InputError> read_bytes(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return refuse("a path can't hold a NUL byte");
  }
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (file.number() < 0 || fstat(file.number(), &about) != 0) {
    return refuse(reason_of(errno, path));
  }
  if (S_ISDIR(about.st_mode)) {
    return refuse(fmt::format("{}: is a directory; name one file in it", path));
  }
  // One byte more than is taken shows that a stream is too long. The size is a hint alone: pipes
  // and files of /proc have none.
  std::string bytes;
  std::size_t size = 0;
  bytes.resize(std::min<std::size_t>(static_cast<std::size_t>(about.st_size) + 1,
                                     source::kMaxSourceSize + 1));
  while (size <= source::kMaxSourceSize) {
    if (size == bytes.size()) {
      bytes.resize(std::min(2 * size + 4096, source::kMaxSourceSize + 1));
    }
    const ssize_t count = read(file.number(), bytes.data() + size, bytes.size() - size);
    if (count == 0) {
      break;
    }
    if (count < 0 && errno != EINTR) {
      return refuse(reason_of(errno, path));
    }
    size += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

// The line (from 1) that holds a byte.
std::size_t line_of(std::string_view bytes, std::size_t offset) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < std::min(offset, bytes.size()); ++i) {
    line +=
        bytes[i] == '\n' || (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n'))
            ? 1
            : 0;
  }
  return line;
}

// Empty for what may be text; else what shows that it is not.
std::string binary_sign(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    return "its text is in UTF-16; save it as UTF-8";
  }
  constexpr std::size_t kLooked = 8192;
  const std::string_view start = bytes.substr(0, kLooked);
  const auto controls =
      static_cast<std::size_t>(std::count_if(start.begin(), start.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && (byte < '\t' || byte > '\r') && byte != 0x1b && byte != 0x1a;
      }));
  const std::size_t nul = start.find('\0');
  // A stray NUL in a text is for the parser to point at.
  if (nul != std::string_view::npos && controls * 32 >= start.size()) {
    return fmt::format("a binary file (byte {} is NUL); name a Python source", nul);
  }
  return {};
}

std::string advice(const source::ReadError& error) {
  switch (error.kind) {
    case ReadErrorKind::UnknownEncoding:
    case ReadErrorKind::UndecodableSource:
      return "correct the coding comment, or save the file in the encoding that it names";
    case ReadErrorKind::InvalidUtf8:
      return "save the file as UTF-8, or declare its encoding in the first line: # coding: latin-1";
    case ReadErrorKind::EncodingConflict:
      return "remove the byte order mark or the coding comment";
    case ReadErrorKind::SourceTooLarge:
      return "split it";
  }
  return {};
}

}  // namespace

base::Result<source::SourceFile, InputError> read_source(const std::string& path,
                                                         const Host& host) {
  const bool from_input = path == "-";
  std::string name = from_input ? "<stdin>" : path;
  std::string bytes;
  if (from_input) {
    bytes = host.read_input();
  } else {
    auto read = read_bytes(path);
    if (!read) {
      return base::failure(read.error());
    }
    bytes = std::move(read.value());
  }
  if (const std::string sign = binary_sign(bytes); !sign.empty()) {
    return refuse(fmt::format("{}: {}", name, sign));
  }
  // The bytes are needed again only to count the lines before an error.
  const std::string_view before = bytes;
  auto file = source::SourceFile::from_bytes(name, bytes, host.decode);
  if (!file) {
    const source::ReadError& error = file.error();
    return refuse(fmt::format("{}:{}: {}; {}", name, line_of(before, error.range.start),
                              error.message, advice(error)));
  }
  return std::move(file.value());
}

}  // namespace graphmend::driver
