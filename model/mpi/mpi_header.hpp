#pragma once

/// \file <mpi.h> with its C interface alone: the C++ one that Open MPI and MPICH add was removed
/// from the standard.

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
