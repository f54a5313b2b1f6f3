// The process that a command runs in, as far as commands see it.
#ifndef GRAPHMEND_DRIVER_HOST_H_
#define GRAPHMEND_DRIVER_HOST_H_

#include "source/source_file.h"

#include <functional>
#include <string>
#include <string_view>

namespace graphmend::driver {

// What the caller of the driver provides. The functions are called from the thread that runs the
// command, or from threads of its own, never from two at once for one stream.
struct Host {
  std::string version;  // of graphmend
  // Write to standard output and standard error; false when nothing more can be written there.
  std::function<bool(std::string_view)> write_output;
  std::function<bool(std::string_view)> write_error;
  // All of standard input.
  std::function<std::string()> read_input;
  // Decodes sources in encodings that the core does not know itself.
  source::Decoder decode;
};

// How a command ended, as the process's exit status.
enum class ExitStatus : int {
  Done = 0,    // and nothing was found
  Found = 1,   // the sources have errors, or what the command looks for
  Failed = 2,  // wrong arguments, unreadable files, output that nobody takes
};

// A stream that is written in large pieces. What is left is written when it ends.
class Stream {
 public:
  using Write = std::function<bool(std::string_view)>;
  explicit Stream(const Write& write) : write_(&write) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { flush(); }

  void write(std::string_view text) {
    buffer_ += text;
    drain();
  }
  // For those who append themselves; drain() after each piece keeps it small.
  std::string& buffer() { return buffer_; }
  void drain() {
    if (buffer_.size() >= kPiece) {
      flush();
    }
  }
  void flush();
  // False once the other side stopped reading: a command may stop early.
  [[nodiscard]] bool good() const { return good_; }

 private:
  static constexpr std::size_t kPiece = 1 << 16;
  const Write* write_;
  std::string buffer_;
  bool good_ = true;
};

// What a running command reads from and writes to.
struct Console {
  explicit Console(const Host& given)
      : host(given), out(given.write_output), err(given.write_error) {}
  const Host& host;
  Stream out;
  Stream err;
};

}  // namespace graphmend::driver

#endif  // GRAPHMEND_DRIVER_HOST_H_
