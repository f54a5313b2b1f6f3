// What CPython's compiler rejects although parser and symbol table accept it: `return` outside of a
// function, `break` outside of a loop, `await` where nothing can wait, starred expressions and
// patterns that make no sense, assignments to __debug__, and the like.
//
// The rules are those of each version's compile.c, found out by asking the versions; the oracle
// tests/oracle/cases_oracle.py compares them with each CPython on its own tests of the language.
#ifndef GRAPHMEND_SCOPE_COMPILE_CHECK_H_
#define GRAPHMEND_SCOPE_COMPILE_CHECK_H_

#include "diag/diagnostic.h"
#include "scope/scope_tree.h"
#include "syntax/tree.h"
#include "syntax/version.h"

#include <vector>

namespace graphmend::scope {

// The errors of a whole module in the order in which CPython's compiler meets them: it stops at the
// first. Messages are CPython's. Tree and scopes must be free of errors, and of the same version.
std::vector<diag::Diagnostic> compile_errors(const syntax::Tree& tree, const ScopeTree& scopes,
                                             syntax::PythonVersion version);

}  // namespace graphmend::scope

#endif  // GRAPHMEND_SCOPE_COMPILE_CHECK_H_
