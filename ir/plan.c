/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what a plan of memory holds. */
#include "ir/plan.h"

const PlanSlot *plan_value(const Plan *p, const Value *v) {
    return ptrmap_get(&p->map->slots, v);
}

const PlanTmp *plan_tmp(const Plan *p, const Op *op) {
    return ptrmap_get(&p->map->tmps, op);
}

const PlanSlot *plan_reserved_slot(const Plan *p, const Op *op) {
    return ptrmap_get(&p->map->reserves, op);
}

int64_t plan_reserved(const Plan *p, const Op *op) {
    const PlanSlot *slot = plan_reserved_slot(p, op);
    return slot != NULL ? slot->addr : -1;
}

const PlanFunction *plan_function(const Plan *p, const Op *func) {
    return ptrmap_get(&p->map->funcs, func);
}
