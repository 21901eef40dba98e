/* What the gate asks: one request, one answer. */
#ifndef PITWALL_AGENT_EXECUTOR_ORDERS_H
#define PITWALL_AGENT_EXECUTOR_ORDERS_H

#include "agent/executor/executor.h"
#include "agent/port.h"

/* Give every text in the request its end: the gate is the less trusted half. */
void orders_terminate(struct port_request *request);

/* Carry out request and fill reply. plan (-1: none) came beside it and is
 * taken. *fd is to go beside the reply and then to be closed, -1: none. */
void orders_answer(struct executor *x, const struct port_request *request,
                   int plan, struct port_reply *reply, int *fd);

#endif
