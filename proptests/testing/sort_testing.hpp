#pragma once

/// \file All tools of keyswap::testing for testing a sort: a GoogleTest matcher that explains
/// failures, RapidCheck generators of hard keys, and inputs that broke real sorts.
/// proptests/testing/README.md has an example.

#include "proptests/testing/hard_keys.hpp"
#include "proptests/testing/key_zoo.hpp"
#include "proptests/testing/sorted_permutation.hpp"
