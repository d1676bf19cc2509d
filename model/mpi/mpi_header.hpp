#pragma once

/// \file Includes <mpi.h> without the C++ bindings of Open MPI and MPICH, which were removed from
/// the standard.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
