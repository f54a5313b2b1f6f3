#include "syntax/lexer.h"

#include "support.h"
#include "syntax/keywords.h"

#include <gtest/gtest.h>

namespace graphmend::syntax::test {
namespace {

TEST(Lexer, KnowsAllKeywords) {
#define GM_KEYWORD(name, text) EXPECT_EQ(spellings(text), text " newline");
#define GM_SOFT_KEYWORD(name, text) EXPECT_EQ(spellings(text), text " newline");
#include "syntax/token_kinds.def"
  EXPECT_EQ(spellings("iff Nones matc cases continues"), "name name name name name newline");
}

TEST(Lexer, KnowsAllOperators) {
#define GM_OPERATOR(name, text)                                                    \
  if (std::string_view(text).find_first_of("()[]{}!") == std::string_view::npos) { \
    EXPECT_EQ(spellings("a " text " b"), "name " text " name newline");            \
  }
#include "syntax/token_kinds.def"
  EXPECT_EQ(spellings("a!=b"), "name != name newline");
  EXPECT_EQ(spellings("a<<=b>>=c**=d//=e"), "name <<= name >>= name **= name //= name newline");
  EXPECT_EQ(spellings("[{(a)}]"), "[ { ( name ) } ] newline");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(spellings("0 00 1_000 0x_fF 0o17 0b1_0"),
            "integer integer integer integer integer integer newline");
  EXPECT_EQ(spellings("1. .5 1e5 1E-5 1_0.0_1e+1_0 09.5 09e1"),
            "float float float float float float float newline");
  EXPECT_EQ(spellings("1j .5J 1e3j 09j"),
            "imaginary number imaginary number imaginary number imaginary number newline");
  EXPECT_EQ(spellings("1if 1else 0x1for x"), "integer if integer else integer or name newline");
  EXPECT_EQ(spellings("1..real"), "float . name newline");
  for (const char* bad : {"1_", "1__0", "0x", "0xg", "0b2", "0o8", "017", "1e+", "1abc", "1_a",
                          "0b12", "1.a", "0x1g"}) {
    EXPECT_FALSE(lex(bad).errors.empty()) << bad;
  }
}

TEST(Lexer, Strings) {
  EXPECT_EQ(spellings(R"('a' "b" r'c' Rb'd' BR"e" u'f')"),
            "string string string bytes bytes string newline");
  EXPECT_EQ(spellings("'''a\n'b''\n''' \"\"\"\\\"\"\"\""), "string string newline");
  EXPECT_EQ(spellings(R"(ur'a')"), "name string newline");
  EXPECT_EQ(spellings("'a\\\nb'"), "string newline");
  for (const char* bad : {"'a", "'a\nb'", "'''a", "'\\", "b'\xc3\xa9'", "'\\x1'", "'\\u12'",
                          "'\\N{no such name}'", "'\\N'", "'\\U00110000'", "b'\\x'"}) {
    EXPECT_FALSE(lex(bad).errors.empty()) << bad;
  }
}

TEST(Lexer, FormattedStrings) {
  EXPECT_EQ(spellings("f'a{b!r:>{c}}d'"),
            "f-string start f-string text { name ! name : f-string text { name } } f-string text "
            "f-string end newline");
  EXPECT_EQ(spellings("rf'{{}}'"), "f-string start raw f-string text f-string end newline");
  EXPECT_EQ(spellings("f'{a[\"b\"]}'", {11}),
            "f-string start { name [ string ] } f-string end newline");
  // The same quotes inside, from 3.12 on.
  EXPECT_EQ(spellings("f'{a['b']}'", {12}),
            "f-string start { name [ string ] } f-string end newline");
  EXPECT_FALSE(lex("f'{a['b']}'", {11}).errors.empty());
  EXPECT_EQ(spellings("f'{x:=5}'"), "f-string start { name : f-string text } f-string end newline");
  EXPECT_EQ(spellings("f'{x!=5}'"), "f-string start { name != integer } f-string end newline");
  EXPECT_EQ(spellings("t'{x}'", {14}), "t-string start { name } f-string end newline");
  EXPECT_EQ(spellings("t'{x}'", {13}), "name string newline");
  EXPECT_TRUE(lex("f'{'\\n'}'", {12}).errors.empty());
  EXPECT_FALSE(lex("f'{\"\\n\"}'", {11}).errors.empty());
  EXPECT_TRUE(lex("f'''{\na # comment\n}'''", {12}).errors.empty());
  EXPECT_FALSE(lex("f'''{\na # comment\n}'''", {11}).errors.empty());
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(spellings("if a:\n  b\n\n  # c\n  d\ne"),
            "if name : newline indent name newline name newline unindent name newline");
  EXPECT_EQ(spellings("if a:\n  if b:\n    c"),
            "if name : newline indent if name : newline indent name newline unindent unindent");
  // Lines inside brackets and after a backslash have no indentation.
  EXPECT_EQ(spellings("a = [\n1,\n   2]\nb = 1 + \\\n   2"),
            "name = [ integer , integer ] newline name = integer + integer newline");
  // Tabs: equal in both ways of counting, or inconsistent.
  EXPECT_TRUE(lex("if a:\n\tb\n\tc\n").errors.empty());
  EXPECT_FALSE(lex("if a:\n\tb\n        c\n").errors.empty());
  EXPECT_FALSE(lex("if a:\n    b\n  c\n").errors.empty());
  // A form feed starts the column anew.
  EXPECT_TRUE(lex("if a:\n  b\n\f  c\n").errors.empty());
}

TEST(Lexer, LineEnds) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string text = std::string("if a:") + end + "  b" + end + end + "c" + end;
    EXPECT_EQ(spellings(text), "if name : newline indent name newline unindent name newline");
  }
  EXPECT_EQ(spellings(""), "");
  EXPECT_EQ(spellings("# only a comment"), "");
  EXPECT_EQ(spellings("\n\n \t\n"), "");
  EXPECT_EQ(spellings("a # b"), "name newline");
}

TEST(Lexer, Identifiers) {
  EXPECT_EQ(spellings("caf\xc3\xa9 = 1"), "name = integer newline");
  EXPECT_FALSE(lex("a\xe2\x82\xac").errors.empty());  // the euro sign
  EXPECT_FALSE(lex("a\xc2\xa0= 1").errors.empty());   // a no-break space
  EXPECT_FALSE(lex("\xff").errors.empty());           // no UTF-8
  EXPECT_FALSE(lex("x\xe2\x82").errors.empty());      // cut off
  EXPECT_FALSE(lex(std::string_view("a\0b", 3)).errors.empty());
}

TEST(Lexer, RecordsComments) {
  std::string text = "# a\nb  # c\n[  # d\n]";
  LexResult result = lex(text);
  ASSERT_EQ(result.tokens.comments().size(), 3U);
  TextRange second = result.tokens.comments()[1];
  EXPECT_EQ(text.substr(second.start, second.size()), "# c");
}

TEST(Lexer, LimitsNesting) {
  std::string brackets(100'000, '(');
  LexResult result = lex(brackets);
  ASSERT_FALSE(result.errors.empty());
  EXPECT_EQ(result.errors[0].message, "too many nested parentheses");
  EXPECT_LE(result.errors.size(), 3U);
}

}  // namespace
}  // namespace graphmend::syntax::test
