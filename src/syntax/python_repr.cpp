#include "syntax/python_repr.h"

#include "syntax/byte_class.h"
#include "syntax/identifiers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <vector>

namespace graphmend::syntax {

namespace {

void append_hex(std::string& out, std::uint32_t value, int digits) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out.push_back(kDigits[value >> shift & 15]);
  }
}

char choose_quote(std::string_view value) {
  bool single = value.find('\'') != std::string_view::npos;
  bool twofold = value.find('"') != std::string_view::npos;
  return single && !twofold ? '"' : '\'';
}

// The escapes that str and bytes share; false when the byte is none of them.
bool append_common_escape(std::string& out, char c, char quote) {
  switch (c) {
    case '\\':
      out += "\\\\";
      return true;
    case '\n':
      out += "\\n";
      return true;
    case '\r':
      out += "\\r";
      return true;
    case '\t':
      out += "\\t";
      return true;
    default:
      if (c == quote) {
        out.push_back('\\');
        out.push_back(c);
        return true;
      }
      return false;
  }
}

std::string without_underscores(std::string_view literal) {
  std::string digits(literal);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  return digits;
}

// Decimal digits of a number of any size, given in a radix that is a power of two.
std::string to_decimal(std::string_view digits, std::uint32_t radix) {
  constexpr std::uint64_t kLimb = 1'000'000'000;
  std::vector<std::uint32_t> limbs{0};
  for (char c : digits) {
    std::uint64_t carry = static_cast<std::uint64_t>(hex_value(static_cast<std::uint8_t>(c)));
    for (std::uint32_t& limb : limbs) {
      std::uint64_t value = std::uint64_t{limb} * radix + carry;
      limb = static_cast<std::uint32_t>(value % kLimb);
      carry = value / kLimb;
    }
    if (carry != 0) {
      limbs.push_back(static_cast<std::uint32_t>(carry));
    }
  }
  std::string out = std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) {
    std::string part = std::to_string(limbs[i]);
    out.append(9 - part.size(), '0');
    out += part;
  }
  return out;
}

double parse_double(const std::string& digits) {
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  (void)end;
  if (error == std::errc::result_out_of_range) {
    // Too large or too small: decided by where the first digit that counts stands.
    std::size_t exponent_at = digits.find_first_of("eE");
    std::string mantissa = digits.substr(0, exponent_at);
    bool negative = exponent_at != std::string::npos && exponent_at + 1 < digits.size() &&
                    digits[exponent_at + 1] == '-';
    bool fraction_only = mantissa.find_first_not_of("0.") > mantissa.find('.');
    bool small = negative || (exponent_at == std::string::npos && fraction_only);
    value = small ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

// repr() of a float; `point` adds ".0" to whole numbers.
std::string format_double(double value, bool point) {
  if (std::isinf(value)) {
    return "inf";
  }
  char buffer[64];
  auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  (void)error;
  // d[.ddd]e[+-]dd: the shortest digits, to be laid out as Python does.
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  std::size_t exponent_at = text.find('e');
  int exponent = 0;
  std::string_view number = text.substr(exponent_at + 1);
  bool negative = number[0] == '-';
  for (char c : number.substr(1)) {
    exponent = exponent * 10 + (c - '0');
  }
  exponent = negative ? -exponent : exponent;
  std::string digits(text.substr(0, 1));
  if (exponent_at > 2) {
    digits += text.substr(2, exponent_at - 2);
  }
  std::string out;
  if (exponent < -4 || exponent >= 16) {
    out = digits.substr(0, 1);
    if (digits.size() > 1) {
      out += "." + digits.substr(1);
    }
    out += exponent < 0 ? "e-" : "e+";
    std::string size = std::to_string(std::abs(exponent));
    out += size.size() < 2 ? "0" + size : size;
    return out;
  }
  if (exponent < 0) {
    return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    out = digits + std::string(whole - digits.size(), '0');
    return point ? out + ".0" : out;
  }
  return digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace

std::string repr_str(std::string_view value, PythonVersion version) {
  char quote = choose_quote(value);
  std::string out(1, quote);
  std::size_t at = 0;
  while (at < value.size()) {
    unsigned char byte = static_cast<unsigned char>(value[at]);
    if (byte < 0x80) {
      char c = value[at++];
      if (append_common_escape(out, c, quote)) {
        continue;
      }
      if (byte < 0x20 || byte == 0x7f) {
        out += "\\x";
        append_hex(out, byte, 2);
      } else {
        out.push_back(c);
      }
      continue;
    }
    CodePoint point = decode_utf8(value.substr(at));
    if (point.value == kBadCodePoint && byte == 0xed && at + 2 < value.size()) {
      // A surrogate.
      point = {0xd000U | (static_cast<unsigned char>(value[at + 1]) & 0x3fU) << 6 |
                   (static_cast<unsigned char>(value[at + 2]) & 0x3fU),
               3};
    }
    if (is_printable(point.value, version)) {
      out += value.substr(at, point.size);
    } else if (point.value <= 0xff) {
      out += "\\x";
      append_hex(out, point.value, 2);
    } else if (point.value <= 0xffff) {
      out += "\\u";
      append_hex(out, point.value, 4);
    } else {
      out += "\\U";
      append_hex(out, point.value, 8);
    }
    at += point.size;
  }
  out.push_back(quote);
  return out;
}

std::string repr_bytes(std::string_view value) {
  char quote = choose_quote(value);
  std::string out = "b";
  out.push_back(quote);
  for (char c : value) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (append_common_escape(out, c, quote)) {
      continue;
    }
    if (byte < 0x20 || byte >= 0x7f) {
      out += "\\x";
      append_hex(out, byte, 2);
    } else {
      out.push_back(c);
    }
  }
  out.push_back(quote);
  return out;
}

std::string repr_int(std::string_view literal) {
  std::string digits = without_underscores(literal);
  std::uint32_t radix = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    switch (digits[1] | 0x20) {
      case 'x':
        radix = 16;
        break;
      case 'o':
        radix = 8;
        break;
      case 'b':
        radix = 2;
        break;
      default:
        break;
    }
  }
  if (radix != 10) {
    return to_decimal(std::string_view(digits).substr(2), radix);
  }
  std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

std::string repr_float(std::string_view literal) {
  return format_double(parse_double(without_underscores(literal)), true);
}

std::string repr_imaginary(std::string_view literal) {
  literal.remove_suffix(1);
  return format_double(parse_double(without_underscores(literal)), false) + "j";
}

}  // namespace graphmend::syntax
