#include "driver/host.h"

namespace graphmend::driver {

void Stream::flush() {
  if (!buffer_.empty() && good_) {
    good_ = (*write_)(buffer_);
  }
  buffer_.clear();
}

}  // namespace graphmend::driver
