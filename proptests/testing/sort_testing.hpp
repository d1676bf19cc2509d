#pragma once

/// \file What a sort's own tests need, for whoever links keyswap::testing: a GoogleTest matcher
/// that says what is wrong, RapidCheck generators of hard keys, and inputs that broke real sorts.
/// proptests/testing/README.md has an example.

#include "proptests/testing/hard_keys.hpp"
#include "proptests/testing/key_zoo.hpp"
#include "proptests/testing/sorted_permutation.hpp"
