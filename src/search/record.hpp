// The certificate of a search as the columns of a result file, and back.
#pragma once

#include "results/search_group.hpp"
#include "search/certificate.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

[[nodiscard]] results::SearchRecord record_of(const Certificate&, const sweep::SweepSpec&);
// Throws UserError, 5, where the columns do not make a certificate.
[[nodiscard]] Certificate certificate_of(const results::SearchRecord&);

}  // namespace echo::search
