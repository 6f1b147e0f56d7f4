// Rules in words: what the words of the column `rule` say.
#pragma once

#include <string>

#include "query/rank/ranking.hpp"

namespace echo::query {

// "tensor degree must divide the attention heads (tp, model)". A word of another version stands for itself.
[[nodiscard]] std::string rule_said(const std::string& word);

// The rules that unsupported rows break, the most frequent `most` of them, a line each; "" where there are
// none.
[[nodiscard]] std::string rules_text(const std::vector<ReasonCount>&, std::size_t most);

}  // namespace echo::query
